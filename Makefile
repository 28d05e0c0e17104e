# hipcontract: `make help` lists the targets.
MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := help

CC ?= gcc
ifeq ($(origin CC),default)
CC := gcc
endif
BUILD ?= build
LLVM_CONFIG ?= llvm-config-22
CHIP ?= gfx1151
ONLY ?=
FLAGS ?=
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc)
SANITIZE ?=
# Host instruction sets that the emulator's handlers are built for; the best that the processor has is taken at run time.
LEVELS ?= v1 v3 v4

WARNINGS := -Wall -Wextra -Werror -Wshadow -Wundef -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wno-unknown-pragmas
LLVM_CFLAGS = $(shell $(LLVM_CONFIG) --cflags 2>/dev/null | tr ' ' '\n' | grep '^-[ID]' | tr '\n' ' ')
LLVM_LIBS = $(shell $(LLVM_CONFIG) --ldflags --libs 2>/dev/null | tr '\n' ' ')
PKGS := mpfr gmp libxxhash jansson libelf sqlite3 openblas
CFLAGS_COMMON = -std=gnu11 -O2 -g -I. -ffp-contract=off -fno-math-errno -frounding-math -D_GNU_SOURCE $(WARNINGS) $(SANITIZE) -MMD -MP
LIBS = -lmpfr -lgmp -lxxhash -ljansson -lelf -lmsgpackc -lopenblas $(LLVM_LIBS) -ldl -lm -lpthread

# Handlers: one object for each wave size and host instruction set.
OPS_CFLAGS = -std=gnu11 -O3 -g -I. -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-strict-aliasing -D_GNU_SOURCE \
	$(WARNINGS) $(SANITIZE) -MMD -MP
MARCH_v1 := -march=x86-64
MARCH_v3 := -march=x86-64-v3
MARCH_v4 := -march=x86-64-v4 -mprefer-vector-width=512

SOURCES := $(sort $(wildcard contract/base/*.c contract/*.c reference/*.c kernels/*/*.c controls/*.c records/*.c toolchain/*.c \
	device/*.c device/emulator/*.c reports/*.c commands/*.c))
OPS_SOURCES := $(sort $(wildcard device/emulator/ops/*.c))
LIB_SOURCES := $(filter-out commands/main.c,$(SOURCES))
LIB_OBJECTS := $(LIB_SOURCES:%.c=$(BUILD)/obj/%.o)
OPS_OBJECTS := $(foreach l,$(LEVELS),$(foreach w,32 64,$(OPS_SOURCES:device/emulator/ops/%.c=$(BUILD)/ops/w$(w)_$(l)/%.o)))
TEST_SOURCES := $(sort $(wildcard tests/unit/*.c))
TEST_SUPPORT := $(sort $(wildcard tests/support/*.c))
TEST_SUPPORT_OBJECTS := $(TEST_SUPPORT:%.c=$(BUILD)/obj/%.o)
TESTS := $(TEST_SOURCES:tests/unit/%.c=$(BUILD)/tests/%)

.PHONY: help build
help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  \1\t/' | expand -t 16

build: $(BUILD)/hipcontract ## build the binary

$(BUILD)/hipcontract: $(LIB_OBJECTS) $(OPS_OBJECTS) $(BUILD)/obj/commands/main.o
	$(CC) $(SANITIZE) -o $@ $^ $(LIBS)

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_COMMON) $(if $(filter device/emulator/decode.c,$<),$(LLVM_CFLAGS)) \
		$(if $(filter device/emulator/opcodes.c,$<),$(LEVELS:%=-DHC_LEVEL_%)) -c -o $@ $<

define OPS_RULE
$(BUILD)/ops/w$(1)_$(2)/%.o: device/emulator/ops/%.c
	@mkdir -p $$(@D)
	$$(CC) $$(OPS_CFLAGS) $$(MARCH_$(2)) -DWAVE_LANES=$(1) -DHANDLER_SUFFIX=_w$(1)_$(2) -c -o $$@ $$<
endef
$(foreach l,$(LEVELS),$(foreach w,32 64,$(eval $(call OPS_RULE,$(w),$(l)))))

$(BUILD)/tests/%: tests/unit/%.c $(TEST_SUPPORT_OBJECTS) $(LIB_OBJECTS) $(OPS_OBJECTS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_COMMON) -o $@ $< $(TEST_SUPPORT_OBJECTS) $(LIB_OBJECTS) $(OPS_OBJECTS) -lcmocka $(LIBS)

tests: $(TESTS)

clean: ## remove what was built
	rm -rf $(BUILD)
.PHONY: clean tests

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
