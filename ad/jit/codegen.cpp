// The part that needs LLVM: a module of its own that is opened when the first kernel has to be compiled, so
// that programs which find their code on disk, or need none, do not pay for loading LLVM.
#include "ad/jit/codegen.hpp"

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <map>
#include <mutex>

#include "ad/jit/emit.hpp"

namespace tare::ad::jit {
namespace {

Target target_of(const std::string& isa) {
  if (isa == "v4") return {64, true, "x86-64-v4"};
  if (isa == "v3") return {32, true, "x86-64-v3"};
  return {16, false, "x86-64-v2"};
}

llvm::TargetMachine& machine_of(const Target& target) {
  static std::map<std::string, std::unique_ptr<llvm::TargetMachine>> machines;
  auto& machine = machines[target.cpu];
  if (machine == nullptr) {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    std::string error;
    const std::string triple = "x86_64-unknown-linux-gnu";
    const auto* found = llvm::TargetRegistry::lookupTarget(triple, error);
    if (found == nullptr) throw std::runtime_error(error);
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
    machine.reset(found->createTargetMachine(triple, target.cpu, "", options, llvm::Reloc::PIC_));
    machine->setOptLevel(llvm::CodeGenOptLevel::Default);
  }
  return *machine;
}

void tidy_up(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(calls);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, calls, modules);
  llvm::ModulePassManager passes;
  if (auto wrong = builder.parsePassPipeline(passes, "function(simplifycfg,early-cse,instsimplify)"))
    throw std::runtime_error(llvm::toString(std::move(wrong)));
  passes.run(module, modules);
}

std::string compile(const graph::Kernel& kernel, const graph::KernelPlan& plan, const std::string& isa) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const Target target = target_of(isa);
  auto& machine = machine_of(target);
  llvm::LLVMContext context;
  llvm::Module module("kernel", context);
  module.setDataLayout(machine.createDataLayout());
  module.setTargetTriple(machine.getTargetTriple().str());
  emit_kernel(module, kernel, plan, target);
  std::string wrong;
  llvm::raw_string_ostream reasons(wrong);
  if (llvm::verifyModule(module, &reasons)) throw std::runtime_error("invalid code: " + wrong);
  tidy_up(module, machine);
  if (std::getenv("TARE_JIT_PRINT") != nullptr) module.print(llvm::errs(), nullptr);
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    throw std::runtime_error("no object code for this target");
  passes.run(module);
  return {bytes.begin(), bytes.end()};
}

}  // namespace
}  // namespace tare::ad::jit

extern "C" bool tare_jit_compile(const tare::ad::graph::Kernel& kernel,
                                 const tare::ad::graph::KernelPlan& plan, const std::string& isa,
                                 std::string& result) {
  try {
    result = tare::ad::jit::compile(kernel, plan, isa);
    return true;
  } catch (const std::exception& error) {
    result = error.what();
    return false;
  }
}
