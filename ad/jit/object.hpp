// Loads an x86-64 ELF object that refers to nothing but itself. Enough for what the code generator writes, so
// that code from disk runs without LLVM in the process.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace tare::ad::jit {

/// The address of the first function, in memory that stays for the life of the process; null with the reason
/// in `why` when the bytes are not such an object.
void* load_object(std::span<const std::byte> object, std::string& why);

}  // namespace tare::ad::jit
