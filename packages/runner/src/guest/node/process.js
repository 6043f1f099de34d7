import { now, post } from '../bindings/post.js'
import { nextTick } from '../bindings/ticks.js'
import { nameTag } from '../properties.js'
import { denied } from './denied.js'

const started = now()
const self = () => process
const outputs = ['stdout', 'stderr']

/** A process that knows nothing and can do nothing: constant answers, no environment, no signals. */
export const process = {
  title: 'node',
  pid: 1,
  ppid: 0,
  arch: 'x64',
  platform: 'linux',
  // What the service runs on: SDKs send it in their User-Agent.
  version: 'v24.21.0',
  versions: {
    node: '24.21.0',
    v8: '13.6.233.17-node.53',
    uv: '1.52.1',
    zlib: '1.3.1',
    brotli: '1.2.0',
    llhttp: '9.4.3',
    modules: '137',
    openssl: '3.5.8',
    undici: '7.29.1',
  },
  release: { name: 'node', lts: 'Krypton' },
  argv: ['/usr/bin/node', '/bundle/index.js'],
  argv0: 'node',
  execArgv: [],
  execPath: '/usr/bin/node',
  exitCode: undefined,
  env: {},
  features: { inspector: false, ipv6: true, tls: true },
  config: { target_defaults: {}, variables: {} },
  stdin: { fd: 0, isTTY: false, on: () => process.stdin, once: () => process.stdin },
  nextTick,
  cwd: () => '/',
  chdir: () => denied('process.chdir'),
  umask: () => 0o22,
  uptime: () => (now() - started) / 1000,
  hrtime: Object.assign(hrtime, { bigint: () => BigInt(now() - started) * 1000000n }),
  memoryUsage: Object.assign(memoryUsage, { rss: () => memoryUsage().rss }),
  cpuUsage: () => ({ user: 0, system: 0 }),
  resourceUsage: () => ({ userCPUTime: 0, systemCPUTime: 0, maxRSS: 0 }),
  getuid: () => 65534,
  geteuid: () => 65534,
  getgid: () => 65534,
  getegid: () => 65534,
  exit,
  reallyExit: exit,
  abort: () => exit(134),
  kill: () => denied('process.kill'),
  binding: () => denied('process.binding'),
  dlopen: () => denied('process.dlopen'),
  emitWarning() {},
  on: self,
  once: self,
  off: self,
  addListener: self,
  prependListener: self,
  prependOnceListener: self,
  removeListener: self,
  removeAllListeners: self,
  setMaxListeners: self,
  getMaxListeners: () => 10,
  emit: () => false,
  listeners: () => [],
  rawListeners: () => [],
  eventNames: () => [],
  listenerCount: () => 0,
}

for (const [at, name] of outputs.entries()) process[name] = output(at + 1)

// axios takes its Node adapter only when process says that it is one.
nameTag(process, 'process')

function output(fd) {
  const stream = { fd, isTTY: false, writable: true, columns: undefined, rows: undefined }
  const same = () => stream
  function write(_text, encoding, callback) {
    post('log', 0)
    const done = typeof encoding === 'function' ? encoding : callback
    if (typeof done === 'function') nextTick(done)
    return true
  }
  const chained = { on: same, once: same, off: same, removeListener: same, emit: () => false }
  return Object.assign(stream, chained, {
    write,
    end: write,
    getColorDepth: () => 1,
    hasColors: () => false,
  })
}

function exit(code) {
  post('exit', Number(code ?? process.exitCode) || 0)
  throw new Error('The bundle ended its process.')
}

function hrtime(since) {
  const elapsed = now() - started
  const time = [Math.floor(elapsed / 1000), (elapsed % 1000) * 1e6]
  if (!since) return time
  const nanoseconds = (time[0] - since[0]) * 1e9 + time[1] - since[1]
  return [Math.floor(nanoseconds / 1e9), nanoseconds % 1e9]
}

function memoryUsage() {
  return { rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 }
}

const writing = ['log', 'info', 'warn', 'error', 'debug', 'trace', 'dir', 'dirxml', 'table']
const silent = ['group', 'groupCollapsed', 'groupEnd', 'time', 'clear', 'countReset', 'profile']
const counting = ['count', 'timeEnd', 'timeLog', 'timeStamp', 'profileEnd']

/** A console that only counts: its arguments are never looked at, since credentials end up in them. */
export class Console {
  constructor() {
    for (const name of [...writing, ...counting]) this[name] = () => void post('log', 0)
    for (const name of silent) this[name] = () => {}
    this.assert = (holds) => void (holds || post('log', 0))
  }
}

export const console = Object.assign(new Console(), { Console })
