import { ByteReader, name, readSections, s32, u32, writeModule } from './binary.mjs'
import { instrumentFunction, moveFunction } from './instrument-function.mjs'

/**
 * Adds two things to a WebAssembly module that imports one memory.
 *
 * - **Written pages.** The module imports a second memory, `linchpin.pages`, with a byte for each 4 KiB of the first
 * one. Every instruction that writes to the first memory sets the byte of its page (the page of the first byte that it
 * writes). The code of the module reaches the second memory in no other way.
 * - **Fuel.** Each round of a loop and each 256 bytes of a bulk operation consume fuel. When none is left, the module
 * calls `linchpin.refuel`, which returns more, or throws: that stops any loop. The largest function, the interpreter,
 * consumes none, because it calls its interrupt handler itself.
 *
 * @param {Uint8Array} module
 * @returns {Uint8Array}
 */
export function instrumentModule(module) {
  const sections = readSections(module).filter(({ id }) => id !== CUSTOM)
  const reader = (id) => {
    const section = sections.find((each) => each.id === id)
    return new ByteReader(section?.bytes ?? Uint8Array.of(0))
  }
  const parameterCounts = readParameterCounts(reader(TYPE))
  const imports = countImports(reader(IMPORT))
  const functions = reader(FUNCTION)
  const functionTypes = functions.vector(() => functions.u32())
  const bodies = reader(CODE)
  const codes = bodies.vector(() => bodies.take(bodies.u32()))
  const added = {
    refuel: imports.functions,
    markRange: imports.functions + 1 + codes.length,
    fuel: imports.globals + reader(GLOBAL).u32(),
  }
  const largest = Math.max(...codes.map((code) => code.length))
  const instrumented = codes.map((code, at) => {
    const params = parameterCounts[functionTypes[at]]
    return instrumentFunction(code, { params, countsLoops: code.length < largest, added })
  })
  const newTypes = [...REFUEL_TYPE, ...MARK_RANGE_TYPE]
  const [refuelType, markRangeType] = [parameterCounts.length, parameterCounts.length + 1]
  const rewrite = new Map([
    [TYPE, (bytes) => append(bytes, 2, newTypes)],
    [IMPORT, (bytes) => append(bytes, 2, newImports(refuelType))],
    [FUNCTION, (bytes) => append(bytes, 1, u32(markRangeType))],
    [GLOBAL, (bytes) => append(bytes, 1, FUEL)],
    [EXPORT, (bytes) => moveExports(bytes, added.refuel)],
    [START, (bytes) => u32(moveFunction(new ByteReader(bytes).u32(), added.refuel))],
    [ELEMENT, (bytes) => moveElements(bytes, added.refuel)],
    [CODE, () => writeCode([...instrumented, markRange(added)])],
  ])
  return writeModule(
    module,
    sections.map(({ id, bytes }) => ({
      id,
      bytes: Uint8Array.from(rewrite.get(id)?.(bytes) ?? bytes),
    })),
  )
}

function readParameterCounts(reader) {
  return reader.vector(() => {
    if (reader.byte() !== FUNCTION_TYPE) throw new Error('unknown type')
    const { length } = reader.vector(() => reader.byte())
    reader.vector(() => reader.byte())
    return length
  })
}

function countImports(reader) {
  const kinds = reader.vector(() => {
    reader.take(reader.u32())
    reader.take(reader.u32())
    const kind = reader.byte()
    if (kind === 0) reader.u32()
    else if (kind === 2) readLimits(reader)
    else throw new Error('the module imports something other than functions and a memory')
    return kind
  })
  if (kinds.filter((kind) => kind === 2).length !== 1)
    throw new Error('the module does not import exactly one memory')
  return { functions: kinds.filter((kind) => kind === 0).length, globals: 0 }
}

function readLimits(reader) {
  if ((reader.byte() & 1) === 1) reader.u32()
  reader.u32()
}

function newImports(refuelType) {
  const pages = [...name('linchpin'), ...name('pages'), 0x02, 0x00, 1]
  return [...pages, ...name('linchpin'), ...name('refuel'), 0x00, ...u32(refuelType)]
}

/** Appends entries to a section that is a vector. */
function append(bytes, count, entries) {
  const reader = new ByteReader(bytes)
  const total = reader.u32() + count
  return concat([u32(total), bytes.subarray(reader.at), entries])
}

function moveExports(bytes, at) {
  const reader = new ByteReader(bytes)
  const entries = reader.vector(() => {
    const start = reader.at
    reader.take(reader.u32())
    const kind = reader.byte()
    const head = bytes.subarray(start, reader.at)
    const index = reader.u32()
    return concat([head, u32(kind === 0 ? moveFunction(index, at) : index)])
  })
  return concat([u32(entries.length), ...entries])
}

function moveElements(bytes, at) {
  const reader = new ByteReader(bytes)
  const entries = reader.vector(() => {
    const start = reader.at
    // An active segment of the first table, with a constant offset.
    if (reader.byte() !== 0 || reader.byte() !== 0x41) throw new Error('unknown element segment')
    reader.skipLeb()
    reader.byte()
    const head = bytes.subarray(start, reader.at)
    const indices = reader.vector(() => moveFunction(reader.u32(), at))
    return concat([head, u32(indices.length), ...indices.map(u32)])
  })
  return concat([u32(entries.length), ...entries])
}

function writeCode(codes) {
  return concat([u32(codes.length), ...codes.flatMap((code) => [u32(code.length), code])])
}

/** `markRange(address, length)`: consumes fuel and marks the pages of a range that is about to be written. */
function markRange({ fuel, refuel }) {
  const [address, length, first] = [0, 1, 2]
  const global = u32(fuel)
  const page = (local) => [0x20, local, 0x41, 12, 0x76]
  const consume = [0x23, ...global, 0x20, length, 0x41, 8, 0x76, 0x6b, 0x24, ...global]
  const refill = [
    0x23,
    ...global,
    0x41,
    0,
    0x48,
    0x04,
    0x40,
    0x10,
    ...u32(refuel),
    0x24,
    ...global,
    0x0b,
  ]
  const isEmpty = [0x20, length, 0x45, 0x04, 0x40, 0x0f, 0x0b]
  // memory.fill(page(address), 1, page(address + length - 1) - page(address) + 1) in memory 1
  const last = [0x20, address, 0x20, length, 0x6a, 0x41, 1, 0x6b, 0x41, 12, 0x76]
  const fill = [...page(address), 0x22, first, 0x41, 1, ...last, 0x20, first, 0x6b, 0x41, 1, 0x6a]
  const body = [...isEmpty, ...consume, ...refill, ...fill, 0xfc, 0x0b, 1, 0x0b]
  return Uint8Array.from([1, 1, I32, ...body])
}

function concat(parts) {
  return new Uint8Array(Buffer.concat(parts.map((part) => Uint8Array.from(part))))
}

const [CUSTOM, TYPE, IMPORT, FUNCTION] = [0, 1, 2, 3]
const [GLOBAL, EXPORT, START, ELEMENT, CODE] = [6, 7, 8, 9, 10]
const FUNCTION_TYPE = 0x60
const I32 = 0x7f
const REFUEL_TYPE = [FUNCTION_TYPE, 0, 1, I32]
const MARK_RANGE_TYPE = [FUNCTION_TYPE, 2, I32, I32, 0]
/** A mutable i32 that starts without fuel. */
const FUEL = [I32, 1, 0x41, ...s32(0), 0x0b]
