import fc from 'fast-check'

/** Bytes for a bare socket. */
export interface RawRequest {
  readonly kind: string
  readonly bytes: Buffer
  /** The expected number of responses. Absent: any. */
  readonly expectedStatuses?: readonly number[]
}

/** Requests that no HTTP client would send. */
export function generateRawRequests(host: string, token: string): fc.Arbitrary<RawRequest> {
  const auth = `Host: ${host}\r\nAuthorization: Bearer ${token}\r\n`
  const get = `GET /api/v1/user HTTP/1.1\r\n${auth}\r\n`
  const post = `POST /api/v1/link HTTP/1.1\r\n${auth}Content-Type: application/json\r\n`
  const smuggled = `0\r\n\r\nGET /api/v1/user HTTP/1.1\r\nHost: ${host}\r\n\r\n`
  const createRawRequest = (
    kind: string,
    bytes: string,
    expectedStatuses?: readonly number[],
  ): RawRequest => ({
    kind,
    bytes: Buffer.from(bytes, 'latin1'),
    ...(expectedStatuses === undefined ? {} : { expectedStatuses }),
  })
  const pipelined = fc
    .integer({ min: 2, max: 30 })
    .map((count) => createRawRequest('pipelining', get.repeat(count), Array(count).fill(200)))
  const truncated = fc
    .integer({ min: 1, max: get.length - 1 })
    .map((length) => createRawRequest('cut off', get.slice(0, length)))
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
    .map((chunk) => createRawRequest('chunks', `${post}Transfer-Encoding: chunked\r\n\r\n${chunk}`))
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
    .map((word) => createRawRequest('method', `${word} /api/v1/user HTTP/1.1\r\n${auth}\r\n`))
  const version = fc
    .constantFrom('HTTP/0.9', 'HTTP/1.2', 'HTTP/2.0', 'HTTP/9.9', 'http/1.1', 'HTTP/1.', '')
    .map((word) => createRawRequest('version', `GET /api/v1/user ${word}\r\n${auth}\r\n`))
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
    .map((word) => createRawRequest('target', `GET ${word} HTTP/1.1\r\n${auth}\r\n`))
  const header = fc
    .tuple(fc.string({ maxLength: 30 }), fc.uint8Array({ maxLength: 60 }))
    .map(([name, value]) =>
      createRawRequest(
        'header',
        `GET /api/v1/user HTTP/1.1\r\n${auth}${name}: ${Buffer.from(value).toString('latin1')}\r\n\r\n`,
      ),
    )
  const noise = fc
    .uint8Array({ minLength: 1, maxLength: 400 })
    .map((bytes) => ({ kind: 'noise', bytes: Buffer.from(bytes) }))
  const fixed = fc.constantFrom(
    createRawRequest(
      'CL and TE',
      `${post}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n${smuggled}`,
      [400],
    ),
    createRawRequest(
      'TE and CL',
      `${post}Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n${smuggled}`,
      [400],
    ),
    createRawRequest(
      'two CL',
      `${post}Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}${get}`,
      [400],
    ),
    createRawRequest('bad TE', `${post}Transfer-Encoding: xchunked\r\n\r\n${smuggled}`, [400]),
    createRawRequest('CL with a sign', `${post}Content-Length: +2\r\n\r\n{}`, [400]),
    createRawRequest(
      'no Host',
      `GET /api/v1/user HTTP/1.1\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      [400],
    ),
    createRawRequest(
      '20 kB header',
      `GET /api/v1/user HTTP/1.1\r\n${auth}X: ${'h'.repeat(20_000)}\r\n\r\n`,
      [431],
    ),
    createRawRequest(
      '3,000 headers',
      `GET /api/v1/user HTTP/1.1\r\n${auth}${'X: y\r\n'.repeat(3_000)}\r\n`,
      [431],
    ),
    createRawRequest('Expect', `${post}Expect: 200-maybe\r\nContent-Length: 2\r\n\r\n{}`, [417]),
    createRawRequest('short body', `${post}Content-Length: 500\r\n\r\n{"linkName":`),
    createRawRequest('long body', `${post}Content-Length: 2\r\n\r\n{}{"linkName":"rest"}`),
    createRawRequest('folded header', `GET /api/v1/user HTTP/1.1\r\n${auth}X: a\r\n b\r\n\r\n`),
    createRawRequest('bare LF', get.replaceAll('\r\n', '\n')),
    createRawRequest(
      'upgrade',
      `GET /api/v1/user HTTP/1.1\r\n${auth}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
    ),
    createRawRequest(
      'websocket',
      `GET /api/v1/user HTTP/1.1\r\n${auth}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    ),
    createRawRequest('TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'),
    createRawRequest('HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    createRawRequest('nothing', ''),
  )
  return fc.oneof(pipelined, truncated, chunks, method, version, target, header, noise, {
    weight: 6,
    arbitrary: fixed,
  })
}
