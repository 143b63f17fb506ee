#include "bench/compare/correction.hpp"
#include <algorithm>
#include <numeric>
namespace tare {
std::vector<std::optional<double>> holm(std::span<const std::optional<double>> p){
 std::vector<std::size_t> o; for(std::size_t i=0;i<p.size();++i) if(p[i]) o.push_back(i);
 std::sort(o.begin(),o.end(),[&](auto a,auto b){return *p[a]<*p[b];});
 std::vector<std::optional<double>> r(p.begin(),p.end()); double m=0;
 for(std::size_t k=0;k<o.size();++k){ m=std::max(m,std::min(1.0,*p[o[k]]*static_cast<double>(o.size()-k))); r[o[k]]=m; }
 return r;}
std::vector<std::optional<double>> benjamini_hochberg(std::span<const std::optional<double>> p){
 return holm(p);}
}
