/* The handlers of this wave size and host instruction set, one for each row of the opcode table. */
#include "device/emulator/lanes.h"

extern handler *const VARIANT(handlers)[];

handler *const VARIANT(handlers)[] = {
#define OP(mnemonic, class, signature, name) HANDLER_NAME(name),
#include "device/emulator/opcodes.def"
#undef OP
};
