import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv4 } from 'node:net'

/** The reply for a name: addresses, a response code, or no response. */
export type DnsReply = readonly string[] | 'NXDOMAIN' | 'SERVFAIL' | 'no-response'

export interface TestNameServer {
  /** As `address:port`. */
  readonly address: string
  /** The names queried so far, once per record type. */
  readonly queries: readonly string[]
  close(): Promise<void>
}

/** A name server on loopback. `answer` receives the lower-case name. */
export async function startNameServer(
  respond: (name: string) => DnsReply,
): Promise<TestNameServer> {
  const socket = createSocket('udp4')
  const queries: string[] = []
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query)
    queries.push(name)
    const dnsReply = respond(name)
    if (dnsReply !== 'no-response')
      socket.send(encodeResponse(query.subarray(0, end), type, dnsReply), from.port)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queries,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}

const A = 1
const AAAA = 28
const CODES = { SERVFAIL: 2, NXDOMAIN: 3 } as const

/** Parses the question of a query (RFC 1035 section 4.1.2) and returns where it ends. */
function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase())
    at += 1 + length
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 }
}

function encodeResponse(
  question: Buffer,
  type: number,
  dnsReply: Exclude<DnsReply, 'no-response'>,
): Buffer {
  const addresses =
    typeof dnsReply === 'string' ? [] : dnsReply.filter((each) => getRecordType(each) === type)
  const head = Buffer.from(question)
  head.writeUInt16BE(0x8180 | (typeof dnsReply === 'string' ? CODES[dnsReply] : 0), 2)
  head.writeUInt16BE(addresses.length, 6)
  // No additional records: the OPT record of the query was cut off.
  head.writeUInt16BE(0, 10)
  return Buffer.concat([head, ...addresses.map(record)])
}

function getRecordType(address: string): number {
  return isIPv4(address) ? A : AAAA
}

/** A resource record (RFC 1035 section 4.1.3) for the name in the question, with a TTL of an hour. */
function record(address: string): Buffer {
  const data = isIPv4(address) ? Buffer.from(address.split('.').map(Number)) : encodeIPv6(address)
  const head = Buffer.alloc(12)
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(getRecordType(address), 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(3_600, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

function encodeIPv6(address: string): Buffer {
  const [before = '', after = ''] = address.split('::')
  const splitGroups = (text: string) => text.split(':').filter((part) => part !== '')
  const missing = 8 - splitGroups(before).length - splitGroups(after).length
  const words = [...splitGroups(before), ...Array(missing).fill('0'), ...splitGroups(after)]
  return Buffer.from(words.map((word) => word.padStart(4, '0')).join(''), 'hex')
}
