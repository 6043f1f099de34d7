import { describeHostileCases, expectResult, mainBundle } from './harness.ts'

describeHostileCases('a bundle with an unusual end', [
  {
    name: 'never settles: fails at once when it waits for nothing',
    code: mainBundle('await new Promise(() => {})'),
    expect: 'integration_timeout',
  },
  {
    name: 'never settles: is stopped while it waits for a timer',
    code: mainBundle('await new Promise((resolve) => setTimeout(resolve, 1e9))'),
    expect: 'integration_timeout',
  },
  {
    name: 'never settles: is stopped while an interval keeps it alive',
    code: mainBundle('setInterval(() => {}, 10); await new Promise(() => {})'),
    expect: 'integration_timeout',
  },
  {
    name: 'calls process.exit',
    code: mainBundle('process.exit(0); return { status: true }'),
    expect: 'integration_failed',
  },
  { name: 'calls process.exit at load', code: 'process.exit(1)', expect: 'integration_failed' },
  { name: 'aborts', code: mainBundle('process.abort()'), expect: 'integration_failed' },
  {
    name: 'kills its process',
    code: mainBundle('process.kill(process.pid, "SIGKILL"); return 1'),
    expect: 'integration_failed',
  },
  {
    name: 'kills its parent',
    code: mainBundle('process.kill(process.ppid, 9); return 1'),
    expect: 'integration_failed',
  },
  { name: 'throws a string', code: mainBundle('throw "words"'), expect: 'integration_failed' },
  { name: 'throws null', code: mainBundle('throw null'), expect: 'integration_failed' },
  { name: 'throws undefined', code: mainBundle('throw undefined'), expect: 'integration_failed' },
  { name: 'throws a symbol', code: mainBundle('throw Symbol("x")'), expect: 'integration_failed' },
  { name: 'throws a bigint', code: mainBundle('throw 10n'), expect: 'integration_failed' },
  { name: 'throws a function', code: mainBundle('throw () => {}'), expect: 'integration_failed' },
  {
    name: 'throws a proxy that throws',
    code: mainBundle('throw new Proxy({}, { get() { throw new Error("trap") } })'),
    expect: 'integration_failed',
  },
  {
    name: 'throws a revoked proxy',
    code: mainBundle('const r = Proxy.revocable({}, {}); r.revoke(); throw r.proxy'),
    expect: 'integration_failed',
  },
  {
    name: 'throws an error with a message of 20 MB',
    code: mainBundle('throw new Error("x".repeat(2e7))'),
    expect: 'integration_failed',
  },
  {
    name: 'throws an error that carries the credentials',
    code: mainBundle('throw new Error("bad token " + params.config.token)'),
    expect: 'integration_failed',
  },
  {
    name: 'throws an error that carries the credentials in base64',
    code: mainBundle('throw new Error(btoa("user:" + params.config.token) + params.config.token)'),
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
    code: mainBundle('Promise.reject(new Error("x")); return { status: true }'),
    expect: expectResult({ status: true }),
  },
  {
    name: 'closes the function around it',
    code: `}); globalThis.stain = 1; (function () { ${mainBundle('return 1')}`,
    expect: 'bundle_invalid',
  },
])
