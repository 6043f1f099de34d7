import { ByteReader, s32, u32 } from './binary.mjs'

/**
 * Instruments the code of one function.
 *
 * Each store first marks its page in the second memory, and each round of a loop consumes fuel. Every instruction of
 * the format has to be known to find the next one, so an unknown one fails the build.
 *
 * @param {Uint8Array} code locals and instructions
 * @param {object} context
 * @param {number} context.params the number of parameters
 * @param {boolean} context.countsLoops
 * @param {{ fuel: number, refuel: number, markRange: number }} context.added indices of what was added to the module;
 * functions from `refuel` on have moved up by one
 * @returns {Uint8Array}
 */
export function instrumentFunction(code, { params, countsLoops, added }) {
  const reader = new ByteReader(code)
  const declared = reader.vector(() => ({ count: reader.u32(), type: reader.byte() }))
  const firstLocal = declared.reduce((sum, { count }) => sum + count, params)
  const temporary = (type) => firstLocal + TEMPORARIES.indexOf(type)
  const address = firstLocal + TEMPORARIES.length
  const output = []
  while (!reader.isAtEnd) {
    const start = reader.at
    const opcode = reader.byte()
    const memory = skipImmediates(reader, opcode)
    const instruction = code.subarray(start, reader.at)
    if (STORES.has(opcode)) {
      const value = temporary(STORES.get(opcode))
      output.push(...[0x21, ...u32(value), 0x22, ...u32(address)])
      if (memory.offset > 0) output.push(0x41, ...s32(memory.offset), 0x6a)
      output.push(...MARK_PAGE, 0x20, ...u32(address), 0x20, ...u32(value))
    } else if (memory?.isBulkWrite) {
      const [length, source] = [temporary(I32), address + 1]
      output.push(0x21, ...u32(length), 0x21, ...u32(source), 0x22, ...u32(address))
      output.push(0x20, ...u32(length), 0x10, ...u32(added.markRange))
      for (const local of [address, source, length]) output.push(0x20, ...u32(local))
    }
    if (CALLS.has(opcode)) {
      const called = new ByteReader(instruction, 1).u32()
      output.push(opcode, ...u32(moveFunction(called, added.refuel)))
    } else for (const byte of instruction) output.push(byte)
    if (opcode === LOOP && countsLoops) output.push(...consumeFuel(added))
  }
  const locals = [
    ...declared,
    ...TEMPORARIES.map((type) => ({ count: 1, type })),
    { count: 2, type: I32 },
  ]
  const head = locals.flatMap(({ count, type }) => [...u32(count), type])
  return Uint8Array.from([...u32(locals.length), ...head].concat(output))
}

/**
 * The index of a function after an import was added at `at`.
 *
 * @param {number} index
 * @param {number} at
 */
export function moveFunction(index, at) {
  return index < at ? index : index + 1
}

/** `fuel -= 1`, and a call when nothing is left. */
function consumeFuel({ fuel, refuel }) {
  const [global, call] = [u32(fuel), u32(refuel)]
  const decrement = [0x23, ...global, 0x41, 1, 0x6b, 0x24, ...global]
  return [
    ...decrement,
    0x23,
    ...global,
    0x41,
    0,
    0x48,
    0x04,
    0x40,
    0x10,
    ...call,
    0x24,
    ...global,
    0x0b,
  ]
}

/** Skips what follows an opcode. Returns the offset of a memory access, and whether it writes a range. */
function skipImmediates(reader, opcode) {
  if (opcode >= 0x28 && opcode <= 0x3e) return readMemoryArgument(reader)
  if (opcode === 0xfc) return skipExtended(reader, reader.u32())
  if (opcode >= 0x45 && opcode <= 0xc4) return undefined
  const skip = IMMEDIATES.get(opcode)
  if (skip === undefined)
    throw new Error(`unknown WebAssembly instruction 0x${opcode.toString(16)}`)
  skip(reader)
}

function readMemoryArgument(reader) {
  if (reader.u32() >= 0x40) throw new Error('the module has several memories already')
  return { offset: reader.u32() }
}

/** Instructions with the prefix 0xfc. */
function skipExtended(reader, opcode) {
  const immediates = EXTENDED[opcode]
  if (immediates === undefined) throw new Error(`unknown WebAssembly instruction 0xfc ${opcode}`)
  for (let count = 0; count < immediates; count++) reader.skipLeb()
  return { isBulkWrite: opcode === 8 || opcode === 10 || opcode === 11 }
}

const EXTENDED = [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1]

const none = () => {}
const one = (reader) => reader.skipLeb()
const two = (reader) => {
  reader.skipLeb()
  reader.skipLeb()
}
const IMMEDIATES = new Map([
  ...[0x00, 0x01, 0x05, 0x0b, 0x0f, 0x1a, 0x1b, 0xd1].map((opcode) => [opcode, none]),
  ...[0x02, 0x03, 0x04, 0x0c, 0x0d, 0x10, 0x12].map((opcode) => [opcode, one]),
  ...[0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26].map((opcode) => [opcode, one]),
  ...[0x3f, 0x40, 0x41, 0x42, 0xd0, 0xd2].map((opcode) => [opcode, one]),
  ...[0x11, 0x13].map((opcode) => [opcode, two]),
  [0x0e, (reader) => reader.vector(() => reader.skipLeb()) && reader.skipLeb()],
  [0x1c, (reader) => reader.vector(() => reader.byte())],
  [0x43, (reader) => reader.take(4)],
  [0x44, (reader) => reader.take(8)],
])

/** `call`, `return_call` and `ref.func`. */
const CALLS = new Set([0x10, 0x12, 0xd2])
const LOOP = 0x03
const [I32, I64, F32, F64] = [0x7f, 0x7e, 0x7d, 0x7c]
const TEMPORARIES = [I32, I64, F32, F64]
/** The type of the value that each store takes. */
const STORES = new Map([
  ...[0x36, 0x3a, 0x3b].map((opcode) => [opcode, I32]),
  ...[0x37, 0x3c, 0x3d, 0x3e].map((opcode) => [opcode, I64]),
  [0x38, F32],
  [0x39, F64],
])
/** `pages[address >>> 12] = 1` in memory 1. */
const MARK_PAGE = [0x41, 12, 0x76, 0x41, 1, 0x3a, 0x40, 1, 0]
