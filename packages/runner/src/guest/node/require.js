import path from 'node:path'
import stream from 'node:stream'
import assert from 'assert'
import punycode from 'punycode'
import string_decoder from 'string_decoder'
import { http, https } from '../net/http.js'
import { MessageChannel, MessagePort } from '../web/event-target.js'
import { asyncHooks } from './async-hooks.js'
import { bufferModule } from './buffer.js'
import { diagnosticsChannel, os, performanceHooks, tty } from './constant-modules.js'
import { crypto } from './crypto.js'
import * as refused from './denied-modules.js'
import { tls } from './denied-modules.js'
import { events, streamConsumers, streamPromises, streamWeb } from './events.js'
import querystring from './querystring.cjs'
import * as timers from './timers.js'
import { url } from './url.js'
import { util } from './util.js'
import { zlib } from './zlib.js'

/** The bundle's `require`: the modules that stand in for Node's, and MODULE_NOT_FOUND for everything else. */
export function require(id) {
  const name = `${id}`.replace(/^node:/, '')
  if (Object.hasOwn(modules, name)) return modules[name]
  const error = new Error(`Cannot find module '${id}'\nRequire stack:\n- /bundle/index.js`)
  throw Object.assign(error, {
    code: 'MODULE_NOT_FOUND',
    requireStack: ['/bundle/index.js'],
  })
}

process.getBuiltinModule = (id) => (modules.module.isBuiltin(id) ? require(id) : undefined)

require.cache = {}
require.main = undefined
require.extensions = {}
require.resolve = (id) => {
  require(id)
  return `${id}`
}
require.resolve.paths = () => null

const timersModule = { ...timers }

for (const name of ['Timeout', 'Immediate', 'fireTimer']) delete timersModule[name]

path.posix = path
path.win32 ??= path

/** Everything that a bundle can require, by its name without `node:`. */
const modules = {
  __proto__: null,
  assert,
  'assert/strict': assert.strict,
  async_hooks: asyncHooks,
  buffer: bufferModule,
  child_process: refused.childProcess,
  cluster: refused.cluster,
  console: globalThis.console,
  domain: refused.domain,
  constants: {
    ...os.constants.signals,
    ...os.constants.errno,
    ...refused.fs.constants,
  },
  crypto,
  dgram: refused.dgram,
  diagnostics_channel: diagnosticsChannel,
  dns: refused.dns,
  'dns/promises': refused.dnsPromises,
  events,
  fs: refused.fs,
  'fs/promises': refused.fsPromises,
  http,
  http2: refused.http2,
  https,
  inspector: refused.inspector,
  net: refused.net,
  os,
  path,
  'path/posix': path,
  'path/win32': path.win32,
  perf_hooks: performanceHooks,
  process: globalThis.process,
  punycode,
  querystring,
  readline: refused.readline,
  'readline/promises': refused.readline.promises,
  repl: refused.repl,
  stream,
  _stream_duplex: stream.Duplex,
  _stream_passthrough: stream.PassThrough,
  _stream_readable: stream.Readable,
  _stream_transform: stream.Transform,
  _stream_writable: stream.Writable,
  'stream/consumers': streamConsumers,
  'stream/promises': streamPromises,
  'stream/web': streamWeb,
  string_decoder,
  sys: util,
  timers: timersModule,
  'timers/promises': timers.promises,
  tls,
  tty,
  url,
  util,
  'util/types': util.types,
  v8: refused.v8,
  vm: refused.vm,
  worker_threads: { ...refused.workerThreads, MessageChannel, MessagePort },
  zlib,
}

modules.module = Object.assign(class Module {}, {
  builtinModules: Object.keys(modules),
  createRequire: () => require,
  isBuiltin: (id) => Object.hasOwn(modules, `${id}`.replace(/^node:/, '')),
})
modules.module.Module = modules.module
