import { describeConformance } from '../../test/guest/conformance.ts'

describeConformance('buffer', [
  `return Buffer.from('héllo €𝄞').toString('hex')`,
  `return ['utf8', 'latin1', 'utf16le', 'ascii', 'base64', 'base64url', 'hex', 'binary', 'ucs2'].map((e) => Buffer.from('aé+/ß?>', 'utf8').toString(e))`,
  `return ['latin1', 'utf16le', 'ascii'].map((e) => Buffer.from('aéß€', e).toString('hex'))`,
  `return [Buffer.from('_-8', 'base64url').toString('hex'), Buffer.from('Zm9v\\nYmE=', 'base64').toString(), Buffer.from('616', 'hex').length]`,
  `return Buffer.from([0xff, 0x61, 0xe2, 0x82, 0x62, 0xf0, 0x90, 0x80]).toString()`,
  `return Buffer.from('\\ud800x').toString('hex')`,
  `return ['', 'ascii', 'é€𝄞', '\\ud800'].map((s) => Buffer.byteLength(s))`,
  `return [Buffer.byteLength('Zm9v', 'base64'), Buffer.byteLength('Zm9', 'base64url'), Buffer.byteLength(new ArrayBuffer(3))]`,
  `const b = Buffer.alloc(12); b.writeUInt32BE(0xdeadbeef); b.writeInt16LE(-2, 4); b.writeUIntBE(0x123456, 6, 3); return [b.toString('hex'), b.readUInt32BE(), b.readInt16LE(4), b.readUIntBE(6, 3)]`,
  `const b = Buffer.alloc(8); b.writeDoubleBE(1.5); return [b.readDoubleBE(), String(b.readBigUInt64BE())]`,
  `return JSON.parse(JSON.stringify(Buffer.from('ab')))`,
  `return [Buffer.isBuffer(Buffer.from('')), Buffer.isEncoding('base64url'), Buffer.isEncoding('nope'), Buffer.compare(Buffer.from('a'), Buffer.from('b'))]`,
  `return Buffer.concat([Buffer.from('ab'), new Uint8Array([99])], 2).toString()`,
  `return [Buffer.from('hello').indexOf('l'), Buffer.from('hello').lastIndexOf('l'), Buffer.from('hello').includes('ell'), Buffer.from('hello').slice(1, -1).toString()]`,
  `return Buffer.alloc(5, 'ab').toString() + Buffer.from('abcd').swap16().toString() + Buffer.from('xyz').equals(Buffer.from('xyz'))`,
  `const b = Buffer.alloc(6); return [b.fill(7), b.fill(1, 2), b.fill(-2, 3, 5), b.fill(300, 6), b.fill(3, 4, 2), Buffer.alloc(3, 9), b.fill(true)].map((each) => each.toString('hex'))`,
  `return [[-1], [0, 9], [1, 2]].map((range) => { try { return Buffer.alloc(4).fill(5, range[0], range[1]).toString('hex') } catch (e) { return e.name } })`,
  `const b = Buffer.from('abc'); const u = new Uint8Array(b.buffer, b.byteOffset, b.length); u[0] = 65; return b.toString()`,
  `return Buffer.from('abc', 'nope')`,
  `const { Blob, constants, kMaxLength, transcode, isUtf8, isAscii } = require('buffer'); return [typeof Blob, typeof constants.MAX_LENGTH, transcode(Buffer.from('é'), 'utf8', 'latin1').toString('hex'), isUtf8(Buffer.from([255])), isAscii(Buffer.from('a'))]`,
  `return [btoa('hé'), atob('aGk='), atob(' aGk '), Buffer.from(atob('/+8='), 'latin1').toString('hex')]`,
  `return btoa('€')`,
  `const { StringDecoder } = require('string_decoder'); const d = new StringDecoder('utf8'); return d.write(Buffer.from([0xe2, 0x82])) + d.write(Buffer.from([0xac])) + d.end(Buffer.from([0xe2]))`,
])

describeConformance('crypto', [
  `const { createHash } = require('crypto'); return ['md5', 'sha1', 'sha224', 'sha256', 'SHA384', 'sha512', 'ripemd160', 'RSA-SHA256', 'sha3-256', 'sha512-256'].map((n) => createHash(n).update('hé').update(Buffer.from('x')).digest('hex'))`,
  `const { createHash } = require('crypto'); return ['base64', 'base64url', 'latin1'].map((e) => createHash('sha1').update('a').digest(e))`,
  `const { createHmac } = require('crypto'); return ['md5', 'sha1', 'sha256', 'sha512'].map((n) => createHmac(n, 'key').update('data').digest('hex'))`,
  `const { createHmac } = require('crypto'); return createHmac('sha256', Buffer.from('00ff', 'hex')).update('616263', 'hex').digest('base64')`,
  `const h = require('crypto').createHash('sha256'); h.update('a'); const c = h.copy(); return [h.digest('hex') === c.digest('hex')]`,
  `const h = require('crypto').createHash('sha256'); h.digest(); h.digest()`,
  `require('crypto').createHash('md99')`,
  `const c = require('crypto'); return [c.timingSafeEqual(Buffer.from('a'), Buffer.from('a')), c.timingSafeEqual(Buffer.from('a'), Buffer.from('b'))]`,
  `require('crypto').timingSafeEqual(Buffer.from('a'), Buffer.from('ab'))`,
  `const c = require('crypto'); return c.pbkdf2Sync('p', 's', 10, 20, 'sha256').toString('hex') + c.scryptSync('p', 's', 16, { N: 16 }).toString('hex') + Buffer.from(c.hkdfSync('sha256', 'k', 's', 'i', 16)).toString('hex')`,
  `return require('crypto').hash('sha1', 'x')`,
  `const c = require('crypto'); return [c.randomBytes(7).length, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/.test(c.randomUUID()), c.randomInt(1), c.randomInt(5, 6), c.webcrypto.getRandomValues(new Uint16Array(2)).length, typeof crypto.randomUUID()]`,
  `return new Promise((ok) => require('crypto').randomBytes(3, (e, b) => ok([e, b.length])))`,
  `return Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode('a'))).toString('hex')`,
  `const { pipeline } = require('stream/promises'); const { Readable } = require('stream'); const h = require('crypto').createHash('md5'); await pipeline(Readable.from(['a', 'b']), h); return h.read().toString('hex')`,
  `return ['sha256', 'md5', 'RSA-SHA1'].map((n) => require('crypto').getHashes().includes(n))`,
])

describeConformance('zlib', [
  `const z = require('zlib'); return [z.gunzipSync(z.gzipSync('hé')).toString(), z.inflateSync(z.deflateSync('a')).toString(), z.inflateRawSync(z.deflateRawSync('b')).toString(), z.unzipSync(z.gzipSync('c')).toString(), z.unzipSync(z.deflateSync('d')).toString()]`,
  `return require('zlib').gunzipSync(Buffer.from('H4sIAAAAAAAAA8tIzcnJBwCGphA2BQAAAA==', 'base64')).toString()`,
  `return require('zlib').deflateRawSync(Buffer.alloc(1000, 'ab')).length`,
  `return require('zlib').gunzipSync(Buffer.from('not gzip'))`,
  `const { promisify } = require('util'); const z = require('zlib'); return (await promisify(z.gunzip)(await promisify(z.gzip)('x'))).toString()`,
  `const z = require('zlib'); const s = z.createGzip(); const out = []; s.on('data', (d) => out.push(d)); const done = new Promise((ok) => s.on('end', ok)); s.write('a'); s.end('b'); await done; return z.gunzipSync(Buffer.concat(out)).toString()`,
  `const z = require('zlib'); return new Promise((ok) => { const u = z.createUnzip(); let t = ''; u.on('data', (d) => (t += d)).on('end', () => ok(t)); u.end(z.gzipSync('stream')) })`,
  `const { Z_SYNC_FLUSH, Z_FINISH, Z_BEST_COMPRESSION, Z_DEFAULT_LEVEL, GZIP, BROTLI_OPERATION_FLUSH } = require('zlib').constants; return [Z_SYNC_FLUSH, Z_FINISH, Z_BEST_COMPRESSION, GZIP, BROTLI_OPERATION_FLUSH]`,
  `return require('zlib').crc32('hello')`,
])

describeConformance('url and querystring', [
  `const u = new URL('HTTPS://us%65r:p%40@EXämple.com:443/a/../b c?x=1&x=2#f'); return [u.href, u.host, u.origin, u.pathname, u.search, u.hash, u.searchParams.getAll('x'), u.username, u.password]`,
  `return ['http://0x7f.1/', 'http://127.1', 'http://2130706433', 'http://[::1]:80/', 'http://a:99999/', 'http://a b/', '//x', 'file:///a/b', 'data:text/plain,x'].map((s) => { try { return new URL(s).href } catch (e) { return e.name } })`,
  `return [URL.canParse('x:'), URL.canParse('x'), new URL('../c?q', 'https://a.b/d/e').href]`,
  `new URL('nope')`,
  `const p = new URLSearchParams({ a: '1 2', b: 'ä&=' }); p.append('a', '3'); p.sort(); return [String(p), [...p], p.has('b'), p.size, String(new URLSearchParams('?q=a+b%20c')), String(new URLSearchParams([['x', 'y']]))]`,
  `const u = require('url').parse('http://user:pa@host.com:8080/p/a?query=string&a=b c#hash', true); return { ...u, query: { ...u.query } }`,
  `const { parse } = require('url'); return ['/path?x=1', '//host/path', 'mailto:a@b.c', 'host.com', 'HTTP://A.b', 'http://a.b?c=d#e'].map((s) => ({ ...parse(s) }))`,
  `const url = require('url'); return [url.format({ protocol: 'https', hostname: 'a.b', port: 8, pathname: '/x', query: { y: 'z', w: [1, 2] } }), url.resolve('http://a.b/c/d', '../e'), url.resolve('/one/two', 'three'), url.format(new URL('http://a:b@c/d?e#f'), { auth: false, fragment: false })]`,
  `const url = require('url'); return [url.domainToASCII('español.com'), url.domainToUnicode('xn--espaol-zwa.com'), url.fileURLToPath('file:///a%20b'), url.pathToFileURL('/a b#').href, url.URL === URL]`,
  `return require('url').urlToHttpOptions(new URL('https://a:b@[::1]:9/p?q#h')).auth`,
  `const q = require('querystring'); return [q.stringify({ a: [1, 2], b: 'ä b', c: true, d: null, e: undefined }), { ...q.parse('a=1&a=2&b=%20x+y&c') }, q.escape('a b&'), q.unescape('%41+')]`,
  `const p = require('punycode'); return [p.toASCII('mañana.com'), p.toUnicode('xn--maana-pta.com'), p.encode('ü'), p.ucs2.decode('𝄞')]`,
])

describeConformance('path, os, assert', [
  `const p = require('path'); return [p.join('a', '..', 'b/', '/c'), p.resolve('/a', '../b'), p.dirname('/a/b.c'), p.basename('/a/b.c', '.c'), p.extname('x.tar.gz'), p.normalize('/a//b/../c'), p.relative('/a/b', '/a/c/d'), p.isAbsolute('a'), p.parse('/x/y.z'), p.sep, p.posix.join('a', 'b'), p.format({ dir: '/q', base: 'r' })]`,
  `const os = require('os'); return [os.EOL, os.platform(), os.type(), os.endianness(), typeof os.hostname(), Array.isArray(os.cpus()), os.constants.signals.SIGTERM]`,
  `const a = require('assert'); a(true); a.equal(1, '1'); a.deepEqual({ a: [1] }, { a: ['1'] }); a.throws(() => { throw new TypeError('x') }, TypeError); await a.rejects(Promise.reject(new Error('y')), /y/); a.match('abc', /b/); return 'ok'`,
  `require('assert').strictEqual(1, 2)`,
  `require('assert/strict').deepEqual({ a: 1 }, { a: '1' })`,
  `require('assert').ok(0, 'said')`,
  `return require('tty').isatty(1) === true ? false : false`,
])
