import fc from 'fast-check'

/** Bytes for a bare socket. */
export interface RawRequest {
  readonly kind: string
  readonly bytes: Buffer
  /** The expected number of responses. Absent: any. */
  readonly expectedStatuses?: readonly number[]
}

/** Requests that no HTTP client would send. */
export function rawRequests(host: string, token: string): fc.Arbitrary<RawRequest> {
  const auth = `Host: ${host}\r\nAuthorization: Bearer ${token}\r\n`
  const get = `GET /api/v1/user HTTP/1.1\r\n${auth}\r\n`
  const post = `POST /api/v1/link HTTP/1.1\r\n${auth}Content-Type: application/json\r\n`
  const smuggled = `0\r\n\r\nGET /api/v1/user HTTP/1.1\r\nHost: ${host}\r\n\r\n`
  const text = (kind: string, bytes: string, expectedStatuses?: readonly number[]): RawRequest => ({
    kind,
    bytes: Buffer.from(bytes, 'latin1'),
    ...(expectedStatuses === undefined ? {} : { expectedStatuses }),
  })
  const pipelined = fc
    .integer({ min: 2, max: 30 })
    .map((count) => text('pipelining', get.repeat(count), Array(count).fill(200)))
  const truncated = fc
    .integer({ min: 1, max: get.length - 1 })
    .map((length) => text('cut off', get.slice(0, length)))
  const chunks = fc
    .constantFrom(
      '5\r\nab',
      'zz\r\n',
      '-1\r\n',
      'ffffffffffffffff\r\n',
      '5;x=y\r\nabcde',
      '\r\n',
      '5\nabcde\n',
    )
    .map((chunk) => text('chunks', `${post}Transfer-Encoding: chunked\r\n\r\n${chunk}`))
  const method = fc
    .constantFrom(
      'G3T',
      'get',
      'CONNECT',
      'PRI',
      'M-SEARCH',
      '\u00e9',
      'GET\t',
      '',
      'X'.repeat(500),
    )
    .map((word) => text('method', `${word} /api/v1/user HTTP/1.1\r\n${auth}\r\n`))
  const version = fc
    .constantFrom('HTTP/0.9', 'HTTP/1.2', 'HTTP/2.0', 'HTTP/9.9', 'http/1.1', 'HTTP/1.', '')
    .map((word) => text('version', `GET /api/v1/user ${word}\r\n${auth}\r\n`))
  const target = fc
    .constantFrom(
      '*',
      '//',
      'http://other.example/api/v1/user',
      '/%',
      '/\u00ff',
      '/../..',
      '?',
      `/${'u'.repeat(9_000)}`,
    )
    .map((word) => text('target', `GET ${word} HTTP/1.1\r\n${auth}\r\n`))
  const header = fc
    .tuple(fc.string({ maxLength: 30 }), fc.uint8Array({ maxLength: 60 }))
    .map(([name, value]) =>
      text(
        'header',
        `GET /api/v1/user HTTP/1.1\r\n${auth}${name}: ${Buffer.from(value).toString('latin1')}\r\n\r\n`,
      ),
    )
  const noise = fc
    .uint8Array({ minLength: 1, maxLength: 400 })
    .map((bytes) => ({ kind: 'noise', bytes: Buffer.from(bytes) }))
  const fixed = fc.constantFrom(
    text(
      'CL and TE',
      `${post}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n${smuggled}`,
      [400],
    ),
    text(
      'TE and CL',
      `${post}Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n${smuggled}`,
      [400],
    ),
    text('two CL', `${post}Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}${get}`, [400]),
    text('bad TE', `${post}Transfer-Encoding: xchunked\r\n\r\n${smuggled}`, [400]),
    text('CL with a sign', `${post}Content-Length: +2\r\n\r\n{}`, [400]),
    text('no Host', `GET /api/v1/user HTTP/1.1\r\nAuthorization: Bearer ${token}\r\n\r\n`, [400]),
    text(
      '20 kB header',
      `GET /api/v1/user HTTP/1.1\r\n${auth}X: ${'h'.repeat(20_000)}\r\n\r\n`,
      [431],
    ),
    text(
      '3,000 headers',
      `GET /api/v1/user HTTP/1.1\r\n${auth}${'X: y\r\n'.repeat(3_000)}\r\n`,
      [431],
    ),
    text('Expect', `${post}Expect: 200-maybe\r\nContent-Length: 2\r\n\r\n{}`, [417]),
    text('short body', `${post}Content-Length: 500\r\n\r\n{"linkName":`),
    text('long body', `${post}Content-Length: 2\r\n\r\n{}{"linkName":"rest"}`),
    text('folded header', `GET /api/v1/user HTTP/1.1\r\n${auth}X: a\r\n b\r\n\r\n`),
    text('bare LF', get.replaceAll('\r\n', '\n')),
    text(
      'upgrade',
      `GET /api/v1/user HTTP/1.1\r\n${auth}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
    ),
    text(
      'websocket',
      `GET /api/v1/user HTTP/1.1\r\n${auth}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    ),
    text('TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'),
    text('HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    text('nothing', ''),
  )
  return fc.oneof(pipelined, truncated, chunks, method, version, target, header, noise, {
    weight: 6,
    arbitrary: fixed,
  })
}
