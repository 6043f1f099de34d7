import { describeHostileCases, expectResult, wrapInMain } from './harness.ts'

describeHostileCases('a bundle with an unusual end', [
  {
    name: 'never settles: fails at once when it waits for nothing',
    code: wrapInMain('await new Promise(() => {})'),
    expect: 'integration_timeout',
  },
  {
    name: 'never settles: is stopped while it waits for a timer',
    code: wrapInMain('await new Promise((resolve) => setTimeout(resolve, 1e9))'),
    expect: 'integration_timeout',
  },
  {
    name: 'never settles: is stopped while an interval keeps it alive',
    code: wrapInMain('setInterval(() => {}, 10); await new Promise(() => {})'),
    expect: 'integration_timeout',
  },
  {
    name: 'calls process.exit',
    code: wrapInMain('process.exit(0); return { status: true }'),
    expect: 'integration_failed',
  },
  { name: 'calls process.exit at load', code: 'process.exit(1)', expect: 'integration_failed' },
  { name: 'aborts', code: wrapInMain('process.abort()'), expect: 'integration_failed' },
  {
    name: 'kills its process',
    code: wrapInMain('process.kill(process.pid, "SIGKILL"); return 1'),
    expect: 'integration_failed',
  },
  {
    name: 'kills its parent',
    code: wrapInMain('process.kill(process.ppid, 9); return 1'),
    expect: 'integration_failed',
  },
  { name: 'throws a string', code: wrapInMain('throw "words"'), expect: 'integration_failed' },
  { name: 'throws null', code: wrapInMain('throw null'), expect: 'integration_failed' },
  { name: 'throws undefined', code: wrapInMain('throw undefined'), expect: 'integration_failed' },
  { name: 'throws a symbol', code: wrapInMain('throw Symbol("x")'), expect: 'integration_failed' },
  { name: 'throws a bigint', code: wrapInMain('throw 10n'), expect: 'integration_failed' },
  { name: 'throws a function', code: wrapInMain('throw () => {}'), expect: 'integration_failed' },
  {
    name: 'throws a proxy that throws',
    code: wrapInMain('throw new Proxy({}, { get() { throw new Error("trap") } })'),
    expect: 'integration_failed',
  },
  {
    name: 'throws a revoked proxy',
    code: wrapInMain('const r = Proxy.revocable({}, {}); r.revoke(); throw r.proxy'),
    expect: 'integration_failed',
  },
  {
    name: 'throws an error with a message of 20 MB',
    code: wrapInMain('throw new Error("x".repeat(2e7))'),
    expect: 'integration_failed',
  },
  {
    name: 'throws an error that carries the credentials',
    code: wrapInMain('throw new Error("bad token " + params.config.token)'),
    expect: 'integration_failed',
  },
  {
    name: 'throws an error that carries the credentials in base64',
    code: wrapInMain('throw new Error(btoa("user:" + params.config.token) + params.config.token)'),
    expect: 'integration_failed',
  },
  { name: 'throws null at load', code: 'throw null', expect: 'bundle_invalid' },
  {
    name: 'throws a proxy at load',
    code: 'throw new Proxy({}, { get() { throw new Error("trap") } })',
    expect: 'bundle_invalid',
  },
  { name: 'is not JavaScript', code: 'this is <not> js', expect: 'bundle_invalid' },
  { name: 'is empty', code: '', expect: 'bundle_invalid' },
  { name: 'exports a string', code: 'module.exports = "no"', expect: 'bundle_invalid' },
  { name: 'is an ES module', code: 'export default async () => ({})', expect: 'bundle_invalid' },
  {
    name: 'leaves an unhandled rejection',
    code: wrapInMain('Promise.reject(new Error("x")); return { status: true }'),
    expect: expectResult({ status: true }),
  },
  {
    name: 'closes the function around it',
    code: `}); globalThis.stain = 1; (function () { ${wrapInMain('return 1')}`,
    expect: 'bundle_invalid',
  },
])
