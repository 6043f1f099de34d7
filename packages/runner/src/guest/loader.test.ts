import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createGuest } from '../../test/guest/guest-harness.ts'

const guest = await createGuest()

async function runBundle(source: string, given?: { command: string; params: unknown }) {
  guest.load(source)
  const { text = '' } = await guest.run(given?.command, given?.params)
  return JSON.parse(text)
}

const main = `async (command, params) => ({ command, params })`
const shapes = {
  'exports.default = fn': `exports.default = ${main}`,
  'exports.default with __esModule': `Object.defineProperty(exports, '__esModule', { value: true }); exports.default = ${main}`,
  'module.exports = fn': `module.exports = ${main}`,
  'module.exports.default.default': `module.exports = { default: { default: ${main} } }`,
  'exports.main = fn': `exports.main = ${main}`,
  'module.exports = { main }': `const main = ${main}; module.exports = { main }`,
  'exports.default = { main }': `exports.default = { main: ${main} }`,
  'a function declared, exported and hoisted': `module.exports = main; function main(command, params) { return { command, params } }`,
  'a getter, as esbuild writes exports': `Object.defineProperty(exports, 'default', { get: () => ${main}, enumerable: true })`,
  'this as exports': `this.main = ${main}`,
}

describe('the load binding', () => {
  for (const [shape, source] of Object.entries(shapes)) {
    it(`finds the function of ${shape}`, async () => {
      const result = await runBundle(source, { command: 'CHECK', params: { config: { a: 1 } } })
      assert.deepEqual(result, { command: 'CHECK', params: { config: { a: 1 } } })
    })
  }

  for (const source of [
    '',
    'module.exports = 5',
    'module.exports = null',
    'exports.other = () => 1',
  ]) {
    it(`says what to export when a bundle is ${source || 'empty'}`, async () => {
      await assert.rejects(runBundle(source), /The bundle exports no function\. Export/)
    })
  }

  it('passes on what a bundle throws while it loads, as an Error', async () => {
    await assert.rejects(runBundle(`throw new RangeError('early')`), {
      name: 'RangeError',
      message: 'early',
    })
    await assert.rejects(runBundle(`throw null`), { name: 'Error', message: 'null' })
    await assert.rejects(runBundle(`throw new Proxy({}, { get() { throw 1 } })`), { name: 'Error' })
  })

  it('runs the same loaded bundle twice', async () => {
    guest.load(`let n = 0; module.exports = () => ++n`)
    assert.equal((await guest.run()).text, '1')
    assert.equal((await guest.run()).text, '2')
  })
})

describe('require', () => {
  const getErrorCode = (id: string) =>
    runBundle(
      `module.exports = () => { try { return typeof require('${id}') } catch (e) { return [e.code, e.message.split('\\n')[0]] } }`,
    )

  for (const id of [
    'supports-color',
    './x',
    '../y',
    '/etc/passwd',
    'node:nope',
    '__proto__',
    'constructor',
    '',
  ]) {
    it(`does not find '${id}'`, async () => {
      assert.deepEqual(await getErrorCode(id), ['MODULE_NOT_FOUND', `Cannot find module '${id}'`])
    })
  }

  const allowed =
    'assert async_hooks buffer console constants crypto diagnostics_channel events http https module os path perf_hooks process punycode querystring stream string_decoder timers tty url util zlib'
  const shut =
    'child_process cluster dgram dns fs http2 inspector net readline repl tls v8 vm worker_threads'
  const folders =
    'assert/strict dns/promises fs/promises path/posix readline/promises stream/consumers stream/promises stream/web timers/promises util/types'
  it('finds all modules, with and without the node: prefix', async () => {
    const ids = `${allowed} ${shut} ${folders}`.split(' ')
    const found = await runBundle(
      `module.exports = () => ${JSON.stringify(ids)}.filter((id) => require(id) !== require('node:' + id) || !require(id))`,
    )
    assert.deepEqual(found, [])
  })

  it('rejects the use of files, processes and sockets with ERR_ACCESS_DENIED', async () => {
    const uses = [
      `require('fs').readFileSync('/etc/passwd')`,
      `require('fs').readFile('/etc/passwd', () => {})`,
      `require('fs').promises.readFile('/x')`,
      `require('fs/promises').writeFile('/x', '')`,
      `require('fs').createWriteStream('/x')`,
      `require('child_process').execSync('id')`,
      `require('child_process').spawn('id')`,
      `require('net').connect(80)`,
      `new (require('net').Socket)()`,
      `require('tls').connect(443)`,
      `require('dns').lookup('a.b', () => {})`,
      `require('dns/promises').resolve4('a.b')`,
      `new (require('worker_threads').Worker)('x')`,
      `require('cluster').fork()`,
      `require('dgram').createSocket('udp4')`,
      `require('http2').connect('https://a.b')`,
      `require('vm').runInNewContext('1')`,
      `require('v8').serialize(1)`,
      `require('http').createServer()`,
      `require('https').createServer()`,
      `require('http').get({ socketPath: '/var/run/docker.sock' })`,
      `process.chdir('/')`,
      `process.binding('fs')`,
      `process.kill(1)`,
      `new (require('inspector').Session)()`,
      `require('repl').start()`,
      `require('readline').createInterface({})`,
    ]
    const source = `module.exports = async () => { const codes = []; for (const use of [${uses.map((use) => `() => ${use}`)}]) { try { codes.push([await use(), String(use)]) } catch (e) { codes.push(e.code) } } return codes }`
    const codes = (await runBundle(source)) as unknown[]
    assert.deepEqual(
      codes,
      uses.map(() => 'ERR_ACCESS_DENIED'),
    )
  })

  it('lets bundles refer to APIs that they may not use', async () => {
    const source = `
      const fs = require('fs'), net = require('net'), tls = require('tls'), { promisify } = require('util')
      class Mine extends net.Socket {}
      const read = promisify(fs.readFile)
      module.exports = () => [fs.constants.R_OK, fs.existsSync('/'), ({}) instanceof tls.TLSSocket, typeof read, typeof Mine,
        net.isIP('1.2.3.4'), net.isIP('::1'), net.isIP('::ffff:1.2.3.4'), net.isIP('1:2:3:4:5:6:7:8'), net.isIP('01.2.3.4'),
        net.isIP('1::2::3'), net.isIP('fe80::1%eth0'), net.isIP('x'), require('worker_threads').isMainThread]`
    assert.deepEqual(await runBundle(source), [
      4,
      false,
      false,
      'function',
      'function',
      4,
      6,
      6,
      6,
      0,
      0,
      6,
      0,
      true,
    ])
  })
})
