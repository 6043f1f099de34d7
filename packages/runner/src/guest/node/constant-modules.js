import { os as constants } from 'node-constants'
import { deniedMembers } from './denied.js'

export const tty = {
  ...deniedMembers('tty', 'ReadStream WriteStream'),
  isatty: () => false,
}

export const performanceHooks = {
  performance: globalThis.performance,
  PerformanceObserver: class PerformanceObserver {
    observe() {}
    disconnect() {}
  },
  monitorEventLoopDelay: () => ({ enable() {}, disable() {}, min: 0, max: 0, mean: 0 }),
  constants: {},
}

class Channel {
  constructor(name) {
    this.name = name
  }
  get hasSubscribers() {
    return false
  }
  subscribe() {}
  unsubscribe() {}
  publish() {}
  bindStore() {}
  unbindStore() {}
  runStores(_context, work, self, ...given) {
    return Reflect.apply(work, self, given)
  }
}

const channels = new Map()

/** The module `diagnostics_channel`: channels that nobody listens to. */
export const diagnosticsChannel = {
  Channel,
  channel(name) {
    if (!channels.has(name)) channels.set(name, new Channel(name))
    return channels.get(name)
  },
  hasSubscribers: () => false,
  subscribe() {},
  unsubscribe: () => false,
  tracingChannel: () => ({
    hasSubscribers: false,
    subscribe() {},
    unsubscribe() {},
    traceSync: (work, _context, self, ...given) => Reflect.apply(work, self, given),
    tracePromise: (work, _context, self, ...given) => Reflect.apply(work, self, given),
    traceCallback: (work, _at, _context, self, ...given) => Reflect.apply(work, self, given),
  }),
}

/** The module `os`: a Linux machine that tells nothing about the real one. */
export const os = {
  EOL: '\n',
  devNull: '/dev/null',
  constants,
  arch: () => 'x64',
  availableParallelism: () => 1,
  cpus: () => [],
  endianness: () => 'LE',
  freemem: () => 0,
  getPriority: () => 0,
  homedir: () => '/',
  hostname: () => 'sandbox',
  loadavg: () => [0, 0, 0],
  machine: () => 'x86_64',
  networkInterfaces: () => ({}),
  platform: () => 'linux',
  release: () => '5.0.0',
  setPriority() {},
  tmpdir: () => '/tmp',
  totalmem: () => 0,
  type: () => 'Linux',
  uptime: () => 0,
  userInfo: () => ({ uid: 65534, gid: 65534, username: 'nobody', homedir: '/', shell: null }),
  version: () => '#1',
}
