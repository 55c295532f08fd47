/* SPDX-License-Identifier: MIT */
#include "mock/ptx/jit/object.h"

#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"

#if defined(__aarch64__)
#define MACHINE       EM_AARCH64
#define LONG_DISTANCE R_AARCH64_PREL64
#define JUMP                                                                                       \
    {                                                                                              \
        0x50, 0x00, 0x00, 0x58, 0x00, 0x02, 0x1f, 0xd6                                             \
    } /* ldr x16, 8; br x16 */
#else
#define MACHINE       EM_X86_64
#define LONG_DISTANCE R_X86_64_PC64
#define JUMP                                                                                       \
    {                                                                                              \
        0xff, 0x25, 2, 0, 0, 0, 0, 0                                                               \
    } /* jmp *2(%rip) */
#endif

enum { MOST_ALIGNMENT = 4096 };

/* What is outside may be too far away for a call. */
struct outside {
    unsigned char jump[8]; /* to the address */
    uint64_t address;
};

struct ptx__machine_code {
    unsigned char *memory;
    size_t size;
    void *function;
};

struct object {
    const unsigned char *bytes;
    size_t n;
    Elf64_Ehdr header;
    const uint64_t *addresses;
    size_t n_addresses;
    uint64_t *places;  /* of each section: its offset in memory, or NOWHERE */
    uint64_t outside;  /* the offset of a struct outside for each address */
    uint64_t size;     /* of all of it */
    unsigned char *at; /* where it is */
};

#define NOWHERE UINT64_MAX

static bool wrong(const char *what)
{
    cushim__log(CUSHIM_LOG_DEBUG, "compiled kernel: %s", what);
    return false;
}

/* --- reading --- */

/* Copies a part of the file. Copies, because parts may be at odd places. */
static bool take(const struct object *object, uint64_t offset, void *ret_part, size_t n)
{
    if (offset > object->n || object->n - offset < n)
        return wrong("it is cut short");
    memcpy(ret_part, object->bytes + offset, n);
    return true;
}

static bool take_section(const struct object *object, uint64_t number, Elf64_Shdr *ret_section)
{
    if (number >= object->header.e_shnum)
        return wrong("a section that is not there");
    return take(object, object->header.e_shoff + number * sizeof(*ret_section), ret_section,
                sizeof(*ret_section));
}

static bool take_header(struct object *object)
{
    Elf64_Ehdr *header = &object->header;

    if (!take(object, 0, header, sizeof(*header)))
        return false;
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_type != ET_REL || header->e_machine != MACHINE ||
        header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff > object->n)
        return wrong("it is no object file for this processor");
    object->places = calloc((size_t) header->e_shnum + 1, sizeof(*object->places));
    return object->places || wrong("no memory");
}

/* --- placing --- */

static uint64_t align(uint64_t offset, uint64_t alignment)
{
    return (offset + alignment - 1) / alignment * alignment;
}

/* Tables for unwinding are for others, who do not know of this memory. */
static bool is_needed(const Elf64_Shdr *section)
{
    return (section->sh_flags & SHF_ALLOC) && section->sh_type == SHT_PROGBITS;
}

static bool place_section(struct object *object, uint64_t number)
{
    Elf64_Shdr section;
    uint64_t alignment;

    object->places[number] = NOWHERE;
    if (!take_section(object, number, &section))
        return false;
    if ((section.sh_flags & SHF_ALLOC) && section.sh_type == SHT_NOBITS && section.sh_size)
        return wrong("it has variables");
    if (!is_needed(&section))
        return true;
    if (section.sh_offset > object->n || section.sh_size > object->n - section.sh_offset)
        return wrong("it is cut short");
    alignment = section.sh_addralign ? section.sh_addralign : 1;
    if (alignment > MOST_ALIGNMENT)
        return wrong("a section wants to begin at a strange place");
    object->places[number] = align(object->size, alignment);
    object->size = object->places[number] + section.sh_size;
    return true;
}

static bool place(struct object *object)
{
    for (uint64_t i = 0; i < object->header.e_shnum; i++) {
        if (!place_section(object, i))
            return false;
    }
    object->outside = align(object->size, sizeof(struct outside));
    object->size = object->outside + object->n_addresses * sizeof(struct outside);
    return object->size > 0;
}

static bool copy(struct object *object)
{
    void *memory =
        mmap(NULL, object->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        return wrong("no memory");
    object->at = memory;
    for (uint64_t i = 0; i < object->header.e_shnum; i++) {
        Elf64_Shdr section;

        if (object->places[i] != NOWHERE && take_section(object, i, &section))
            memcpy(object->at + object->places[i], object->bytes + section.sh_offset,
                   section.sh_size);
    }
    for (size_t i = 0; i < object->n_addresses; i++) {
        const struct outside outside = {.jump = JUMP, .address = object->addresses[i]};

        memcpy(object->at + object->outside + i * sizeof(outside), &outside, sizeof(outside));
    }
    return true;
}

/* --- names --- */

struct names {
    Elf64_Shdr symbols, texts;
};

static bool take_names(const struct object *object, uint64_t number, struct names *ret_names)
{
    return take_section(object, number, &ret_names->symbols) &&
           take_section(object, ret_names->symbols.sh_link, &ret_names->texts);
}

static bool take_symbol(const struct object *object, const struct names *names, uint64_t number,
                        Elf64_Sym *ret_symbol)
{
    if (number >= names->symbols.sh_size / sizeof(*ret_symbol))
        return wrong("a name that is not there");
    return take(object, names->symbols.sh_offset + number * sizeof(*ret_symbol), ret_symbol,
                sizeof(*ret_symbol));
}

/* Returns the number of an address outside, by its name, or the number of all of them. */
static uint64_t number_outside(const struct object *object, const struct names *names,
                               const Elf64_Sym *symbol)
{
    char name[24] = "", *end = name;
    const uint64_t offset = names->texts.sh_offset + symbol->st_name;
    uint64_t number;

    for (size_t i = 0; i + 1 < sizeof(name) && offset < object->n - i && object->n > i; i++)
        name[i] = (char) object->bytes[offset + i];
    if (name[0] != 'a' || name[1] < '0' || name[1] > '9')
        return object->n_addresses;
    number = strtoull(name + 1, &end, 10);
    return *end || number > object->n_addresses ? object->n_addresses : number;
}

/* Finds what a symbol stands for in memory; of an address outside it is the jump. */
static bool find_symbol(const struct object *object, const struct names *names, uint64_t number,
                        unsigned char **ret_place, bool *ret_outside)
{
    Elf64_Sym symbol;

    if (!take_symbol(object, names, number, &symbol))
        return false;
    *ret_outside = symbol.st_shndx == SHN_UNDEF;
    if (*ret_outside) {
        const uint64_t outside = number_outside(object, names, &symbol);

        *ret_place = object->at + object->outside + outside * sizeof(struct outside);
        return outside < object->n_addresses || wrong("it calls another library");
    }
    if (symbol.st_shndx >= object->header.e_shnum || object->places[symbol.st_shndx] == NOWHERE ||
        symbol.st_value > object->size)
        return wrong("a name for nothing");
    *ret_place = object->at + object->places[symbol.st_shndx] + symbol.st_value;
    return true;
}

/* --- relocations --- */

/* What a relocation needs: the place to change, and what it refers to. */
struct change {
    unsigned char *place;
    uint64_t value; /* of the symbol and the addend */
    uint32_t type;
    bool outside; /* it refers to a struct outside */
};

static bool put(unsigned char *place, int64_t value, size_t bytes)
{
    const unsigned unused = 64 - 8 * (unsigned) bytes;

    if ((int64_t) ((uint64_t) value << unused) >> unused != value)
        return wrong("a distance that is too long");
    memcpy(place, &value, bytes);
    return true;
}

#if defined(__aarch64__)

/* Puts bits of a value into a field of an instruction. */
static bool set_field(unsigned char *place, uint32_t mask, uint32_t bits)
{
    uint32_t instruction;

    memcpy(&instruction, place, sizeof(instruction));
    instruction = (instruction & ~mask) | (bits & mask);
    memcpy(place, &instruction, sizeof(instruction));
    return true;
}

/* adrp: the distance between pages of 4096 bytes, in two fields */
static bool set_page(unsigned char *place, uint64_t value)
{
    const int64_t pages = (int64_t) (value >> 12) - (int64_t) ((uintptr_t) place >> 12);

    if (pages < -(1 << 20) || pages >= 1 << 20)
        return wrong("a distance that is too long");
    return set_field(place, 0x60ffffe0,
                     ((uint32_t) pages & 3) << 29 | ((uint32_t) (pages >> 2) & 0x7ffff) << 5);
}

/* bl and b: a distance in instructions */
static bool set_call(unsigned char *place, int64_t distance)
{
    if (distance < -(1 << 27) || distance >= 1 << 27)
        return wrong("a distance that is too long");
    return set_field(place, 0x3ffffff, (uint32_t) (distance >> 2));
}

/* The low 12 bits of an address, in units of an access. */
static bool set_low(unsigned char *place, uint64_t value, unsigned shift)
{
    return set_field(place, 0x3ffc00, (uint32_t) ((value & 0xfff) >> shift) << 10);
}

static bool apply(const struct change *change)
{
    const uint64_t where = change->value + offsetof(struct outside, address);
    const int64_t distance = (int64_t) (change->value - (uintptr_t) change->place);

    if (change->outside !=
        (change->type == R_AARCH64_ADR_GOT_PAGE || change->type == R_AARCH64_LD64_GOT_LO12_NC ||
         change->type == R_AARCH64_CALL26 || change->type == R_AARCH64_JUMP26))
        return wrong("an address outside in an instruction");
    switch (change->type) {
    case R_AARCH64_PREL64:
        return put(change->place, distance, 8);
    case R_AARCH64_PREL32:
        return put(change->place, distance, 4);
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
        return set_call(change->place, distance);
    case R_AARCH64_ADR_PREL_PG_HI21:
        return set_page(change->place, change->value);
    case R_AARCH64_ADR_GOT_PAGE:
        return set_page(change->place, where);
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
        return set_low(change->place, change->value, 0);
    case R_AARCH64_LDST16_ABS_LO12_NC:
        return set_low(change->place, change->value, 1);
    case R_AARCH64_LDST32_ABS_LO12_NC:
        return set_low(change->place, change->value, 2);
    case R_AARCH64_LDST64_ABS_LO12_NC:
        return set_low(change->place, change->value, 3);
    case R_AARCH64_LD64_GOT_LO12_NC:
        return set_low(change->place, where, 3);
    case R_AARCH64_LDST128_ABS_LO12_NC:
        return set_low(change->place, change->value, 4);
    default:
        return wrong("a relocation that is not expected");
    }
}

#else

static bool apply(const struct change *change)
{
    const int64_t distance = (int64_t) (change->value - (uintptr_t) change->place);
    const bool by_address = change->type == R_X86_64_GOTPCREL ||
                            change->type == R_X86_64_GOTPCRELX ||
                            change->type == R_X86_64_REX_GOTPCRELX;

    if (change->outside != (by_address || change->type == R_X86_64_PLT32))
        return wrong("an address outside in an instruction");
    if (by_address)
        return put(change->place, distance + (int64_t) offsetof(struct outside, address), 4);
    if (change->type == R_X86_64_PC32 || change->type == R_X86_64_PLT32)
        return put(change->place, distance, 4);
    if (change->type == R_X86_64_PC64)
        return put(change->place, distance, 8);
    return wrong("a relocation that is not expected");
}

#endif

static bool relocate_one(const struct object *object, const struct names *names,
                         const Elf64_Shdr *section, uint64_t at, const Elf64_Rela *relocation)
{
    struct change change = {.type = (uint32_t) ELF64_R_TYPE(relocation->r_info)};
    const uint64_t bytes = change.type == LONG_DISTANCE ? 8 : 4;
    unsigned char *symbol;

    if (section->sh_size < bytes || relocation->r_offset > section->sh_size - bytes)
        return wrong("a relocation behind its section");
    if (!find_symbol(object, names, ELF64_R_SYM(relocation->r_info), &symbol, &change.outside))
        return false;
    change.place = object->at + at + relocation->r_offset;
    change.value = (uintptr_t) symbol + (uint64_t) relocation->r_addend;
    return apply(&change);
}

static bool relocate_section(const struct object *object, const Elf64_Shdr *list)
{
    Elf64_Shdr section;
    struct names names;

    if (!take_section(object, list->sh_info, &section) ||
        !take_names(object, list->sh_link, &names))
        return false;
    if (object->places[list->sh_info] == NOWHERE)
        return true;
    for (uint64_t i = 0; i < list->sh_size / sizeof(Elf64_Rela); i++) {
        Elf64_Rela relocation;

        if (!take(object, list->sh_offset + i * sizeof(relocation), &relocation,
                  sizeof(relocation)) ||
            !relocate_one(object, &names, &section, object->places[list->sh_info], &relocation))
            return false;
    }
    return true;
}

static bool relocate(const struct object *object)
{
    for (uint64_t i = 0; i < object->header.e_shnum; i++) {
        Elf64_Shdr section;

        if (!take_section(object, i, &section) ||
            (section.sh_type == SHT_RELA && !relocate_section(object, &section)))
            return false;
    }
    return true;
}

/* --- the function --- */

static void *function_of(const struct object *object, const struct names *names)
{
    Elf64_Sym symbol;

    for (uint64_t i = 0; i < names->symbols.sh_size / sizeof(symbol); i++) {
        unsigned char *place;
        bool outside;

        if (!take_symbol(object, names, i, &symbol))
            return NULL;
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC)
            return find_symbol(object, names, i, &place, &outside) && !outside ? place : NULL;
    }
    return NULL;
}

static void *find_function(const struct object *object)
{
    void *function = NULL;

    for (uint64_t i = 0; !function && i < object->header.e_shnum; i++) {
        struct names names;

        if (take_names(object, i, &names) && names.symbols.sh_type == SHT_SYMTAB)
            function = function_of(object, &names);
    }
    if (!function)
        wrong("it has no function");
    return function;
}

static struct ptx__machine_code *finish(struct object *object)
{
    struct ptx__machine_code *code = calloc(1, sizeof(*code));
    void *function = code && relocate(object) ? find_function(object) : NULL;

    if (!function) {
        free(code);
        return NULL;
    }
    if (mprotect(object->at, object->size, PROT_READ | PROT_EXEC) < 0) {
        wrong("memory cannot be made executable");
        free(code);
        return NULL;
    }
    __builtin___clear_cache((char *) object->at, (char *) object->at + object->size);
    *code = (struct ptx__machine_code){
        .memory = TAKE_PTR(object->at), .size = object->size, .function = function};
    return code;
}

struct ptx__machine_code *ptx__object_load(const void *bytes, size_t n, const uint64_t *addresses,
                                           size_t n_addresses)
{
    struct object object = {
        .bytes = bytes, .n = n, .addresses = addresses, .n_addresses = n_addresses};
    struct ptx__machine_code *code = NULL;

    if (take_header(&object) && place(&object) && copy(&object))
        code = finish(&object);
    if (object.at)
        munmap(object.at, object.size);
    free(object.places);
    return code;
}

void *ptx__object_function(const struct ptx__machine_code *code)
{
    return code->function;
}

void ptx__object_free(struct ptx__machine_code *code)
{
    if (!code)
        return;
    munmap(code->memory, code->size);
    free(code);
}
