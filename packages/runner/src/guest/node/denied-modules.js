import stream from 'node:stream'
import { denied, deniedMembers, deniedPromises } from './denied.js'

// Bundles require these while they load and read properties of them; only use is refused.
const promisedFiles = `access appendFile chmod chown copyFile cp lchown link lstat lutimes mkdir mkdtemp open
  opendir readFile readdir readlink realpath rename rm rmdir stat statfs symlink truncate unlink utimes
  writeFile`
const openFiles = `close fchmod fchown fdatasync fstat fsync ftruncate futimes read readv write writev`
const withSync = `${promisedFiles} ${openFiles}`.replace(/(\w+)/g, '$1 $1Sync')
const lookups = `lookup lookupService resolve resolve4 resolve6 resolveAny resolveCaa resolveCname resolveMx
  resolveNaptr resolveNs resolvePtr resolveSoa resolveSrv resolveTxt reverse`

/** `fs.constants` of Linux. */
export const fsConstants = {
  O_RDONLY: 0,
  O_WRONLY: 1,
  O_RDWR: 2,
  S_IFMT: 61440,
  S_IFREG: 32768,
  S_IFDIR: 16384,
  S_IFCHR: 8192,
  S_IFBLK: 24576,
  S_IFIFO: 4096,
  S_IFLNK: 40960,
  S_IFSOCK: 49152,
  O_CREAT: 64,
  O_EXCL: 128,
  O_NOCTTY: 256,
  O_TRUNC: 512,
  O_APPEND: 1024,
  O_DIRECTORY: 65536,
  O_NOATIME: 262144,
  O_NOFOLLOW: 131072,
  O_SYNC: 1052672,
  O_DSYNC: 4096,
  O_DIRECT: 16384,
  O_NONBLOCK: 2048,
  S_IRWXU: 448,
  S_IRUSR: 256,
  S_IWUSR: 128,
  S_IXUSR: 64,
  S_IRWXG: 56,
  S_IRGRP: 32,
  S_IWGRP: 16,
  S_IXGRP: 8,
  S_IRWXO: 7,
  S_IROTH: 4,
  S_IWOTH: 2,
  S_IXOTH: 1,
  F_OK: 0,
  R_OK: 4,
  W_OK: 2,
  X_OK: 1,
  COPYFILE_EXCL: 1,
  COPYFILE_FICLONE: 2,
  COPYFILE_FICLONE_FORCE: 4,
}

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

/** The error codes and hints of `dns`. */
export const dnsConstants = {
  ADDRCONFIG: 32,
  ALL: 16,
  V4MAPPED: 8,
  NODATA: 'ENODATA',
  FORMERR: 'EFORMERR',
  SERVFAIL: 'ESERVFAIL',
  NOTFOUND: 'ENOTFOUND',
  NOTIMP: 'ENOTIMP',
  REFUSED: 'EREFUSED',
  BADQUERY: 'EBADQUERY',
  BADNAME: 'EBADNAME',
  BADFAMILY: 'EBADFAMILY',
  BADRESP: 'EBADRESP',
  CONNREFUSED: 'ECONNREFUSED',
  TIMEOUT: 'ETIMEOUT',
  EOF: 'EOF',
  FILE: 'EFILE',
  NOMEM: 'ENOMEM',
  DESTRUCTION: 'EDESTRUCTION',
  BADSTR: 'EBADSTR',
  BADFLAGS: 'EBADFLAGS',
  NONAME: 'ENONAME',
  BADHINTS: 'EBADHINTS',
  NOTINITIALIZED: 'ENOTINITIALIZED',
  LOADIPHLPAPI: 'ELOADIPHLPAPI',
  ADDRGETNETWORKPARAMS: 'EADDRGETNETWORKPARAMS',
  CANCELLED: 'ECANCELLED',
}

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

/** The part of `http2.constants` that clients read. */
export const http2Constants = {
  HTTP2_HEADER_STATUS: ':status',
  HTTP2_HEADER_METHOD: ':method',
  HTTP2_HEADER_AUTHORITY: ':authority',
  HTTP2_HEADER_SCHEME: ':scheme',
  HTTP2_HEADER_PATH: ':path',
  HTTP2_HEADER_PROTOCOL: ':protocol',
  NGHTTP2_NO_ERROR: 0,
  NGHTTP2_PROTOCOL_ERROR: 1,
  NGHTTP2_INTERNAL_ERROR: 2,
  NGHTTP2_FLOW_CONTROL_ERROR: 3,
  NGHTTP2_SETTINGS_TIMEOUT: 4,
  NGHTTP2_STREAM_CLOSED: 5,
  NGHTTP2_FRAME_SIZE_ERROR: 6,
  NGHTTP2_REFUSED_STREAM: 7,
  NGHTTP2_CANCEL: 8,
  NGHTTP2_COMPRESSION_ERROR: 9,
  NGHTTP2_CONNECT_ERROR: 10,
  NGHTTP2_ENHANCE_YOUR_CALM: 11,
  NGHTTP2_INADEQUATE_SECURITY: 12,
  HTTP2_METHOD_GET: 'GET',
  HTTP2_METHOD_POST: 'POST',
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

const http2Headers = `
  accept-encoding accept-language accept-ranges accept access-control-allow-credentials
  access-control-allow-headers access-control-allow-methods access-control-allow-origin
  access-control-expose-headers access-control-request-headers access-control-request-method
  age authorization cache-control connection content-disposition content-encoding content-length
  content-type cookie date etag forwarded host if-modified-since if-none-match if-range
  last-modified link location range referer server set-cookie strict-transport-security
  transfer-encoding te upgrade-insecure-requests upgrade user-agent vary x-content-type-options
  x-frame-options keep-alive proxy-connection x-xss-protection alt-svc content-security-policy
  early-data expect-ct origin purpose timing-allow-origin x-forwarded-for priority
  accept-charset access-control-max-age allow content-language content-location content-md5
  content-range dnt expect expires from if-match if-unmodified-since max-forwards prefer
  proxy-authenticate proxy-authorization refresh retry-after trailer tk via warning
  www-authenticate http2-settings`

for (const name of http2Headers.trim().split(/\s+/)) {
  http2Constants[`HTTP2_HEADER_${name.toUpperCase().replaceAll('-', '_')}`] = name
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
