import { denied, deniedMembers, deniedPromises } from './denied.js'
import { dnsConstants, fsConstants, http2Constants } from './denied-constants.js'
import { isIP, isIPv4, isIPv6 } from './is-ip.js'

// Bundles require these while they load and read properties of them; only use is refused.
const promisedFiles = `access appendFile chmod chown copyFile cp lchown link lstat lutimes mkdir mkdtemp open
  opendir readFile readdir readlink realpath rename rm rmdir stat statfs symlink truncate unlink utimes
  writeFile`
const openFiles = `close fchmod fchown fdatasync fstat fsync ftruncate futimes read readv write writev`
const withSync = `${promisedFiles} ${openFiles}`.replace(/(\w+)/g, '$1 $1Sync')
const lookups = `lookup lookupService resolve resolve4 resolve6 resolveAny resolveCaa resolveCname resolveMx
  resolveNaptr resolveNs resolvePtr resolveSoa resolveSrv resolveTxt reverse`

export const fsPromises = {
  ...deniedPromises('fs.promises', promisedFiles),
  constants: fsConstants,
  watch: () => denied('fs.promises.watch'),
}

export const fs = {
  ...deniedMembers(
    'fs',
    `${withSync} createReadStream createWriteStream watch watchFile unwatchFile`,
  ),
  ...deniedMembers('fs', 'Dir Dirent ReadStream WriteStream FileReadStream FileWriteStream Stats'),
  exists: (_path, callback) => process.nextTick(callback, false),
  existsSync: () => false,
  constants: fsConstants,
  F_OK: fsConstants.F_OK,
  R_OK: fsConstants.R_OK,
  W_OK: fsConstants.W_OK,
  X_OK: fsConstants.X_OK,
  promises: fsPromises,
}
fs.realpath.native = fs.realpath
fs.realpathSync.native = fs.realpathSync

export const net = {
  ...deniedMembers(
    'net',
    'connect createConnection createServer Server Socket BlockList SocketAddress',
  ),
  isIP,
  isIPv4,
  isIPv6,
  getDefaultAutoSelectFamily: () => true,
  setDefaultAutoSelectFamily() {},
}
net.Stream = net.Socket

export const dnsPromises = {
  ...deniedPromises('dns.promises', lookups),
  ...deniedMembers('dns.promises', 'Resolver'),
  ...dnsConstants,
}

export const dns = {
  ...deniedMembers('dns', `${lookups} setServers Resolver`),
  ...dnsConstants,
  getServers: () => [],
  getDefaultResultOrder: () => 'verbatim',
  setDefaultResultOrder() {},
  promises: dnsPromises,
}

export const childProcess = deniedMembers(
  'child_process',
  'exec execFile execFileSync execSync fork spawn spawnSync ChildProcess',
)

export const workerThreads = {
  ...deniedMembers('worker_threads', 'Worker BroadcastChannel'),
  ...deniedMembers('worker_threads', 'receiveMessageOnPort moveMessagePortToContext'),
  isMainThread: true,
  parentPort: null,
  threadId: 0,
  workerData: null,
  resourceLimits: {},
  SHARE_ENV: Symbol.for('nodejs.worker_threads.SHARE_ENV'),
  getEnvironmentData: () => undefined,
  setEnvironmentData() {},
}

export const cluster = {
  ...deniedMembers('cluster', 'fork setupMaster setupPrimary disconnect Worker'),
  isMaster: true,
  isPrimary: true,
  isWorker: false,
  workers: {},
  settings: {},
  on: () => cluster,
}

export const http2 = {
  ...deniedMembers('http2', 'connect createServer createSecureServer getPackedSettings'),
  ...deniedMembers('http2', 'getUnpackedSettings Http2ServerRequest Http2ServerResponse'),
  getDefaultSettings: () => ({}),
  sensitiveHeaders: Symbol('sensitiveHeaders'),
  constants: http2Constants,
}

export const dgram = deniedMembers('dgram', 'createSocket Socket')

export const vm = {
  ...deniedMembers('vm', 'createContext runInContext runInNewContext runInThisContext Script'),
  ...deniedMembers('vm', 'compileFunction measureMemory SourceTextModule SyntheticModule'),
  isContext: () => false,
}

export const v8 = {
  ...deniedMembers('v8', 'serialize deserialize setFlagsFromString writeHeapSnapshot'),
  ...deniedMembers('v8', 'getHeapSnapshot Serializer Deserializer'),
  getHeapStatistics: () => ({
    heap_size_limit: 67108864,
    total_heap_size: 0,
    used_heap_size: 0,
  }),
  getHeapSpaceStatistics: () => [],
  cachedDataVersionTag: () => 0,
}

export const inspector = {
  ...deniedMembers('inspector', 'open waitForDebugger Session'),
  close() {},
  url: () => undefined,
}

export const domain = deniedMembers('domain', 'create createDomain Domain')

export const repl = deniedMembers('repl', 'start REPLServer Recoverable')

const cursor = 'createInterface clearLine clearScreenDown cursorTo moveCursor emitKeypressEvents'
export const readline = {
  ...deniedMembers('readline', `${cursor} Interface`),
  promises: deniedMembers('readline.promises', 'createInterface Interface Readline'),
}
