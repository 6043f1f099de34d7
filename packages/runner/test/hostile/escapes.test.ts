import assert from 'node:assert/strict'
import { describeHostileCases, expectResult, wrapInMain } from './harness.ts'

/** What a function created by this expression can access in the surrounding process. */
function inspectScript(expression: string): string {
  return wrapInMain(`
    let make
    try { make = ${expression} } catch (e) { return { env: 0, host: false, pid: 1 } }
    let p
    try { p = make('return process')() } catch (e) { return { env: 0, host: false, pid: 1 } }
    const host = ['mainModule', 'dlopen', '_linkedBinding', 'getBuiltinModule', 'report', 'send']
    return {
      env: Object.keys(p.env).length,
      host: host.some((key) => typeof p[key] === 'object' && p[key] !== null && p[key].children?.length > 0),
      pid: p.pid,
    }`)
}

const assertNothingFound = (value: unknown) => {
  assert.deepEqual(value, { env: 0, host: false, pid: 1 })
}

const escapeExpressions = [
  'this.constructor.constructor',
  '(() => {}).constructor',
  '(async () => {}).constructor.constructor',
  '(function* () {}).constructor.constructor',
  'require.constructor',
  'module.constructor.constructor',
  'exports.constructor.constructor',
  'params.constructor.constructor',
  'setTimeout.constructor',
  'setTimeout(() => {}, 0).constructor.constructor',
  'require("http").request.constructor',
  'require("stream").Readable.prototype.on.constructor',
  'console.log.constructor',
  'process.exit.constructor',
  'process.constructor.constructor',
  'Object.getPrototypeOf(Object.getPrototypeOf(process)).constructor.constructor',
  'Buffer.from("x").constructor.constructor',
  'new Error("x").constructor.constructor',
  '(() => { try { null.x } catch (e) { return e.constructor.constructor } })()',
  '(() => { try { require("fs").readFileSync("/") } catch (e) { return e.constructor.constructor } })()',
  'await fetch("http://10.0.0.1/").catch((e) => e.constructor.constructor)',
  'Reflect.construct(Function, ["return Function"])()',
  '(0, eval)("Function")',
]

describeHostileCases(
  'a function constructor',
  escapeExpressions.map((expression) => ({
    name: `reached by ${expression} sees no process of the host`,
    code: inspectScript(expression),
    expect: assertNothingFound,
  })),
)

const assertAccessDenied = (value: unknown) => assert.equal(value, 'ERR_ACCESS_DENIED')

/** The code of the error that this expression throws, synchronously or later. */
function createErrorCode(expression: string): string {
  return wrapInMain(`
    try { const v = await (${expression}); return 'answered ' + typeof v } catch (e) { return e.code }`)
}

const denied = [
  "require('fs').readFileSync('/etc/passwd')",
  "require('node:fs').promises.readFile('/etc/passwd')",
  "require('fs/promises').readFile('/etc/passwd')",
  "require('fs').writeFileSync('/tmp/stain', 'x')",
  "require('fs').createReadStream('/etc/passwd')",
  "require('child_process').execSync('id')",
  "require('node:child_process').spawn('id')",
  "require('net').connect(80, '127.0.0.1')",
  "require('net').createServer()",
  "require('tls').connect(443, '127.0.0.1')",
  "require('dns').lookup('localhost', () => {})",
  "new (require('worker_threads').Worker)('1', { eval: true })",
]

describeHostileCases(
  'a module with access to the host',
  denied.map((expression) => ({
    name: `fails with ERR_ACCESS_DENIED for ${expression}`,
    code: createErrorCode(expression),
    expect: assertAccessDenied,
  })),
)

describeHostileCases('an escape from the language', [
  {
    name: 'by import() fails',
    code: createErrorCode("import('node:fs')"),
    expect: (value) => assert.notEqual(value, 'answered object'),
  },
  {
    name: 'by import() of a data URL fails',
    code: createErrorCode("import('data:text/javascript,export default 1')"),
    expect: (value) => assert.notEqual(value, 'answered object'),
  },
  {
    name: 'by WebAssembly, SharedArrayBuffer and Atomics.wait is not available',
    code: wrapInMain(`
      let waits
      try { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60000); waits = true } catch {}
      return [typeof WebAssembly, waits === true]`),
    expect: expectResult(['undefined', false]),
  },
  {
    name: 'by names of other runtimes is not available',
    code: wrapInMain(
      'return ["Deno", "Bun", "std", "os", "bjson", "print", "__doors"].map((n) => typeof globalThis[n])',
    ),
    expect: expectResult(Array.from({ length: 7 }, () => 'undefined')),
  },
  {
    name: 'by a module that does not exist fails with MODULE_NOT_FOUND',
    code: createErrorCode("require('../../../../etc/passwd')"),
    expect: expectResult('MODULE_NOT_FOUND'),
  },
  {
    name: 'by require of __proto__ fails with MODULE_NOT_FOUND',
    code: createErrorCode("require('__proto__')"),
    expect: expectResult('MODULE_NOT_FOUND'),
  },
  {
    name: 'by require of constructor fails with MODULE_NOT_FOUND',
    code: createErrorCode("require('constructor')"),
    expect: expectResult('MODULE_NOT_FOUND'),
  },
  {
    name: 'by process.binding fails',
    code: wrapInMain('try { process.binding("fs"); return 1 } catch { return 0 }'),
    expect: expectResult(0),
  },
  {
    name: 'by prepareStackTrace reveals nothing of the host',
    code: wrapInMain(`
      Error.prepareStackTrace = (e, sites) => sites
      const stack = new Error('x').stack
      return JSON.stringify(Array.isArray(stack) ? stack.map(String) : String(stack))`),
    expect: (value) => assert.doesNotMatch(String(value), /node_modules|packages|vm\.ts|node:/),
  },
])
