import type { FastifyInstance } from 'fastify'
import { toNetworkAddress } from '../../platform/http/to-network-address.ts'

/** LINCHPIN_AUDIT_IP: whether the audit trail records the whole address of a client, its network, or none. */
export type AuditIpMode = 'full' | 'network' | 'none'

declare module 'fastify' {
  interface FastifyRequest {
    /** The client's address as the audit trail records it. */
    readonly auditIp: string | null
  }
}

/** Gives requests the address of their client as the audit trail records it. LINCHPIN_TRUST_PROXY determines the client. */
export function addAuditIp(app: FastifyInstance, mode: AuditIpMode): void {
  app.decorateRequest('auditIp', {
    getter() {
      return toAuditIp(this.ip, mode)
    },
  })
}

/** An address as text; `network` reduces IPv4 to /24 and IPv6 to /48. */
export function toAuditIp(ip: string | undefined, mode: AuditIpMode): string | null {
  if (ip === undefined || mode === 'none') return null
  const network = toNetworkAddress(ip, 48)
  const isIPv4 = IPV4.test(network)
  if (mode === 'network') return isIPv4 ? network.replace(/\d+$/, '0/24') : `${network}/48`
  return (isIPv4 ? network : ip).slice(0, MAX_LENGTH)
}

const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/
/** Proxies may send anything in X-Forwarded-For. */
const MAX_LENGTH = 64
