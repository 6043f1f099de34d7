import stream from 'node:stream'
import { dns as dnsConstants, fs as fsConstants, http2 as http2Constants } from 'node-constants'
import { denied, deniedMembers, deniedPromises } from './denied.js'

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

const byte = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const four = new RegExp(`^${byte}(?:\\.${byte}){3}$`)
const group = /^[0-9a-f]{1,4}$/i

/** `net.isIP`: 4, 6 or 0. */
export function isIP(address) {
  if (isIPv4(address)) return 4
  return isIPv6(address) ? 6 : 0
}

export function isIPv4(address) {
  return four.test(`${address}`)
}

/** RFC 4291 section 2.2, with an optional zone. */
export function isIPv6(address) {
  const [text, zone, ...more] = `${address}`.split('%')
  if (more.length > 0 || zone === '') return false
  const halves = text.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  const last = groups.at(-1) ?? ''
  const dotted = last.includes('.')
  if (dotted && !(isIPv4(last) && text.endsWith(last))) return false
  const plain = dotted ? groups.slice(0, -1) : groups
  const count = plain.length + (dotted ? 2 : 0)
  return plain.every((one) => group.test(one)) && (halves.length === 2 ? count < 8 : count === 8)
}

class JSStreamSocket {}

// http2-wrapper makes one over a plain stream while it loads, to learn the class of its handle.
class TLSSocket extends stream.Duplex {
  _handle = { _parentWrap: new JSStreamSocket() }
  constructor(socket) {
    if (socket === undefined || socket === null) denied('tls.TLSSocket')
    super()
  }
  _read() {
    denied('tls.TLSSocket')
  }
  _write() {
    denied('tls.TLSSocket')
  }
}

/** The module `tls`: names and constants; no connection can be made. */
export const tls = {
  ...deniedMembers('tls', 'connect createServer createSecureContext SecureContext Server'),
  TLSSocket,
  checkServerIdentity: () => undefined,
  getCiphers: () => [],
  rootCertificates: [],
  DEFAULT_CIPHERS: '',
  DEFAULT_ECDH_CURVE: 'auto',
  DEFAULT_MIN_VERSION: 'TLSv1.2',
  DEFAULT_MAX_VERSION: 'TLSv1.3',
}
