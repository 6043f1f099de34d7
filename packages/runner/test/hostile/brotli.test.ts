import { brotliCompressSync } from 'node:zlib'
import { describeHostileCases, expectResult, SMALL_LIMITS, wrapInMain } from './harness.ts'

const decode = `const { brotliDecompressSync } = require('zlib')
  const stream = Buffer.from(params.stream, 'base64')`
const bomb = { stream: brotliCompressSync(Buffer.alloc(64 * 1024 * 1024)).toString('base64') }
const slow = { stream: createSlowStream(128 * 1024).toString('base64') }

describeHostileCases('a Brotli stream', [
  {
    name: 'of 64 MiB is an error of the bundle at 16 MiB, whatever length it asks for',
    code: wrapInMain(`${decode}
      return [undefined, 2 ** 40, -1, NaN, {}].map((maxOutputLength) => {
        try { return brotliDecompressSync(stream, { maxOutputLength }).length } catch (error) { return error.code }
      })`),
    params: bomb,
    expect: expectResult(Array(5).fill('ERR_BUFFER_TOO_LARGE')),
  },
  {
    name: 'longer than 512 KiB is an error of the bundle, before it is decoded',
    code: wrapInMain(`
      try { return require('zlib').brotliDecompressSync(Buffer.alloc(524289)) } catch (error) { return error.code }`),
    expect: expectResult('ERR_BUFFER_TOO_LARGE'),
  },
  {
    name: 'that does not fit into the memory of the call ends this call only',
    code: wrapInMain(`${decode}
      const all = []
      for (;;) all.push(brotliDecompressSync(stream))`),
    params: { stream: brotliCompressSync(Buffer.alloc(15e6)).toString('base64') },
    limits: { memoryMb: 32 },
    expect: 'anything',
  },
  {
    name: 'that is a bomb ends with its CPU time when it is decoded again and again',
    code: wrapInMain(`${decode}
      for (;;) try { brotliDecompressSync(stream) } catch {}`),
    params: bomb,
    limits: SMALL_LIMITS,
    expect: 'integration_timeout',
  },
  {
    name: 'that uses up the slice of a call does not change its result',
    code: wrapInMain(`${decode}
      const codes = []
      for (let round = 0; round < 8; round++) try { brotliDecompressSync(stream) } catch (error) { codes.push(error.code) }
      return codes`),
    params: bomb,
    expect: expectResult(Array(8).fill('ERR_BUFFER_TOO_LARGE')),
  },
  {
    name: 'that is slow to decode ends with its CPU time when it is decoded again and again',
    code: wrapInMain(`${decode}
      for (;;) try { brotliDecompressSync(stream) } catch {}`),
    params: slow,
    limits: SMALL_LIMITS,
    expect: 'integration_timeout',
  },
])

/** Blocks of one byte (RFC 7932 section 9.2), each with 256 types of literals and a context map that is moved to front. */
function createSlowStream(length: number): Buffer {
  const bytes: number[] = []
  let held = 0
  let count = 0
  const write = (value: number, bits: number) => {
    for (let bit = 0; bit < bits; bit++) {
      held |= ((value >> bit) & 1) << count++
      if (count < 8) continue
      bytes.push(held)
      held = 0
      count = 0
    }
  }
  // A simple prefix code of one symbol.
  const writeCode = (bits: number, symbol: number) => write(1 | (symbol << 4), 4 + bits)
  write(0, 1)
  while (bytes.length < length) {
    write(0, 20)
    write(0x7ff, 11)
    writeCode(9, 0)
    writeCode(5, 0)
    write(0, 2 + 2 + 6 + 512)
    write(1, 4)
    write(0, 1)
    writeCode(1, 1)
    write(1, 2)
    for (let tree = 0; tree < 2; tree++) writeCode(8, 65)
    writeCode(10, 8)
    writeCode(6, 0)
  }
  write(3, 10)
  return Buffer.from(bytes)
}
