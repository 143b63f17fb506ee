#include "cli/submissions.hpp"

#include "workloads/tasks/task.hpp"

namespace tare::cli {

ContestRules contest_rules() {
  ContestRules rules;
  for (const auto* task :
       {&workloads::digits(), &workloads::keywords(), &workloads::figures(), &workloads::anomalies()})
    rules.data[task->hash] = task->name;
  rules.data[workloads::sentences().hash] = "sentences";
  return rules;
}

}  // namespace tare::cli
