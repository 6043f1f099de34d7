import { brotliCompressSync, constants } from 'node:zlib'
import { describeConformance } from '../../test/guest/conformance.ts'

const prose = `The time of the people, and the world of their own: "Это русский текст", 你好世界, مرحبا. `
const samples = [prose, prose.repeat(40), JSON.stringify({ zipped: 'ü'.repeat(50) }), '']
const compressed = samples.flatMap((text) =>
  [0, 1, 4, 5, 9, 11].flatMap((quality) =>
    [10, 16, 24].map((window) => {
      const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN } = constants
      const params = { [BROTLI_PARAM_QUALITY]: quality, [BROTLI_PARAM_LGWIN]: window }
      return brotliCompressSync(text, { params }).toString('base64')
    }),
  ),
)

describeConformance('Brotli', [
  `const z = require('zlib'); return ${JSON.stringify(compressed)}.map((s) => z.brotliDecompressSync(Buffer.from(s, 'base64')).toString())`,
  `const z = require('zlib'); const text = 'the time of the people and their world '.repeat(300); return z.brotliDecompressSync(z.brotliCompressSync(text)).toString() === text`,
  `const z = require('zlib'); return [z.brotliDecompressSync(z.brotliCompressSync('')).length, typeof z.BrotliDecompress(), typeof z.createBrotliDecompress().pipe]`,
  `const z = require('zlib'); return [[255, 255, 255, 1, 2, 3], [0x1b, 0x19, 0, 0xf8, 0x8f], [], [0x21]].map((b) => { try { return z.brotliDecompressSync(Buffer.from(b)).length } catch (e) { return e.message } })`,
  `const z = require('zlib'); const { pipeline, Readable, PassThrough } = require('stream'); let t = ''; const out = new PassThrough(); pipeline(Readable.from([z.brotliCompressSync('piped')]), z.createBrotliDecompress(), out, () => {}); for await (const c of out) t += c; return t`,
  `const z = require('zlib'); return new Promise((ok) => z.brotliDecompress(z.brotliCompressSync('x'), (e, r) => ok([e, r.toString()])))`,
])

describeConformance('stacks, and texts of errors of http', [
  `class Mine extends Error {} const o = {}; Error.captureStackTrace(o); return [new Error('m').stack.split('\\n')[0], new Mine('z').stack.split('\\n')[0], new TypeError('t').stack.split('\\n')[0], /^ {4}at /.test(new Error('x').stack.split('\\n')[1]), new Error('a\\nb').stack.split('\\n').slice(0, 2), o.stack.split('\\n')[0]]`,
  `const h = require('http'); const text = (o) => { try { h.request('http://127.0.0.1/', o); return 'none' } catch (e) { return [String(e), e.code] } }; return [text({ headers: { 'a b': 'x' } }), text({ headers: { a: 'x\\ny' } }), text({ method: 'A B' }), text({ protocol: 'ftp:' })]`,
])

describeConformance('keys and signatures', [
  `const c = require('crypto'); const pem = ${JSON.stringify(createPem())}; const s = c.createSign('RSA-SHA256').update('a').update(Buffer.from('b')).sign(pem, 'base64'); return [s, c.createVerify('SHA256').update('ab').verify(pem, s, 'base64'), c.createVerify('SHA256').update('ac').verify(pem, s, 'base64'), c.sign('sha512', Buffer.from('x'), { key: pem }).toString('hex')]`,
  `const c = require('crypto'); const k = c.createPrivateKey(${JSON.stringify(createPem())}); return [k.type, k.asymmetricKeyType, k.asymmetricKeyDetails.modulusLength, c.createPublicKey(k).type, c.createSign('sha1').update('x').sign(k).length]`,
  `const s = require('crypto').webcrypto.subtle; const k = await s.importKey('raw', Buffer.from('key'), { name: 'HMAC', hash: 'SHA-256' }, true, ['sign', 'verify']); const sig = await s.sign('HMAC', k, Buffer.from('data')); return [Buffer.from(sig).toString('hex'), await s.verify('HMAC', k, sig, Buffer.from('data')), await s.verify('HMAC', k, sig, Buffer.from('dat')), k.type, k.algorithm, k.usages, Buffer.from(await s.exportKey('raw', k)).toString(), k.constructor.name]`,
  `require('crypto').createPrivateKey('no key')`,
  `const s = crypto.subtle; const a = { name: 'rsassa-pkcs1-v1_5', hash: 'SHA-256' }; const k = await s.importKey('pkcs8', Buffer.from(${JSON.stringify(createPem())}.replace(/-----.*?-----|\\s/g, ''), 'base64'), a, false, ['sign']); return [Buffer.from(await s.sign(a, k, Buffer.from('é'))).toString('hex'), k.type, k.extractable, k.algorithm.name, k.usages, k.constructor.name]`,
  `await crypto.subtle.importKey('pkcs8', Buffer.from('no key'), { name: 'RSA-PSS', hash: 'SHA-256' }, false, ['sign'])`,
  `await crypto.subtle.importKey('pkcs8', Buffer.from(${JSON.stringify(createPem())}.replace(/-----.*?-----|\\s/g, ''), 'base64'), { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])`,
])

describeConformance('Intl in English', [
  `return [(1234567.891).toLocaleString(), (0.256).toLocaleString('en-US', { style: 'percent' }), (5).toLocaleString('en-US', { minimumIntegerDigits: 2 }), new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(-1234.5), 12345678901234567890n.toLocaleString(), new Intl.NumberFormat('en', { notation: 'compact' }).format(12345), (1.005).toLocaleString('en-US', { maximumFractionDigits: 1 }), (1e3).toLocaleString('en-US', { useGrouping: false })]`,
  `const d = new Date(Date.UTC(2024, 1, 9, 15, 4, 5)); const o = { timeZone: 'UTC' }; return [d.toLocaleString('en-US', o), d.toLocaleDateString('en-US', o), d.toLocaleTimeString('en-US', o), d.toLocaleDateString('en-CA', o), d.toLocaleDateString('en-GB', o), d.toLocaleDateString('en-US', { ...o, weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }), d.toLocaleDateString('en-US', { ...o, month: 'short', day: '2-digit' }), new Intl.DateTimeFormat('en-US', { ...o, dateStyle: 'medium', timeStyle: 'short' }).format(d), d.toLocaleTimeString('en-US', { ...o, hour12: false, hour: '2-digit', minute: '2-digit' }), new Intl.DateTimeFormat('en-US', { ...o, timeZoneName: 'short' }).formatToParts(d)]`,
  `return [typeof Intl.DateTimeFormat().resolvedOptions().timeZone, Intl.DateTimeFormat('en-US', { timeZone: '+05:30', hour: 'numeric', minute: 'numeric' }).format(0), Intl.getCanonicalLocales('EN-us'), new Intl.PluralRules('en').select(1), new Intl.ListFormat('en').format(['a', 'b', 'c']), new Intl.RelativeTimeFormat('en').format(-1, 'day'), new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(1, 'day'), Object.prototype.toString.call(Intl)]`,
  `return [['b', 'a', 'C', 'ä', 'Z', '_x', '10', '9'].sort((x, y) => x.localeCompare(y)), 'a10'.localeCompare('a2', undefined, { numeric: true }), 'a'.localeCompare('A', undefined, { sensitivity: 'base' }), 'a'.localeCompare('A'), ['b', 'B', 'a', 'A'].sort(new Intl.Collator('en').compare)]`,
  `new Intl.DateTimeFormat('en-US', { timeZone: 'Nowhere/City' })`,
  `new Intl.NumberFormat('en', { style: 'currency' })`,
])

describeConformance('globals that packages read while they load', [
  `const tls = require('tls'); const { PassThrough } = require('stream'); return typeof new tls.TLSSocket(new PassThrough())._handle._parentWrap.constructor`,
  `const { port1, port2 } = new MessageChannel(); const got = new Promise((ok) => { port2.onmessage = (e) => ok(e.data) }); port1.postMessage({ a: [1] }); const data = await got; port1.close(); return [data, typeof MessagePort, require('worker_threads').MessageChannel === MessageChannel]`,
  `const http = require('http'); const { inherits } = require('util'); function Old(o) { http.Agent.call(this, o) } inherits(Old, http.Agent); const a = new Old({ maxSockets: 3 }); return [a.maxSockets, a instanceof http.Agent, http.Agent() instanceof http.Agent]`,
  `return [new Buffer.alloc(2).length, Buffer.of(1, 2).toString('hex'), Buffer.alloc(3, 'ab').toString()]`,
  `return [navigator.userAgent.split('/')[0], navigator.platform, typeof navigator.language, Object.keys(globalThis).includes('Intl')]`,
  `return [require('_stream_readable') === require('stream').Readable, typeof process.getBuiltinModule('fs').readFileSync, typeof process.versions.brotli, require('path/win32') === require('path').win32]`,
])

// A key for these tests only; it protects nothing.
function createPem(): string {
  const body = [
    'MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBALYuZPM9Tz7FmWQyc5hrpVTyzBUpjwrfIOE2fwkn',
    'VCpHBbYHpf9qmzNlzcfRMpAjMZOPgROItFnJWD3wONGwqym2r/V7Y/EQqZ4zmKCQy3GBJbPrbBCfxNXeiFAJB/p9',
    'yPyK3aHVUDJ+6C+GHX36Lb5xyRxiw8MihZ25Ud33ucapAgMBAAECgYAYx4Kvmv02WoYcnMggSTP5s/SSRE7Sebrt',
    'Jw5sXk8SWQqr0aqAbS2i9gvhS9EGzeKmYXR7BbMSK1K3Sf9QdikxjlF7DoEYFjsql5Urrtm/OnZtQTUCgGIC07QR',
    'OP6xcAlWzwFbe60Uy9vyo9Kw5XXVF2oCVYq/rgr3gZ5MJTn36QJBAOuJMm5oUFOY9JoZvzgWw2Lezl5Sya5tVo4d',
    'uEZnQZ36nrKLLuEp8kv/uL93yDb0t5LEfCRd0smc+yil9jdXV68CQQDGAnqt+gCtzt9lsY+6FEEYbZ4qpJJu8YK2',
    'DjTSbPVV0YBa7kN6/zyrC+ODHqc5+6rgpvPFZzmOxEo1hgDO2wUnAkEA0YmRivVUGLrnSDyFh+GAWvH6R6GA+KMe',
    'sHmyGTf9AQ0Xp6D4yKlne8L42aU3QeS9d11DT5sETgZQzh2vCBa00wJAd1iVMvmFoT0YX0YHmCOPHLctZwxsilwc',
    '6bhkVBSCRuiQUb5cg+0FVx9CUQyPxJ4Q33khYvEVuxxKkjojkIpobwJBAJ1G+6aeOUS5+BxY1/P7qlObfB3Ho3Rh',
    'dPFDU4Dve02S5Oum/ssjWcrliyFxfV+bholaGOCC0RvTn51FTYBHhsc=',
  ]
  return `-----BEGIN PRIVATE KEY-----\n${body.join('\n')}\n-----END PRIVATE KEY-----`
}
