// For a test: an allocator as a shared library, which knows how often it was called and does not tell block
// sizes.
#pragma once

unsigned long other_malloc_calls();
