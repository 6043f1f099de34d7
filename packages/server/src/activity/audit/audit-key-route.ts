import type { FastifyPluginAsync } from 'fastify'

/** A key that signs checkpoints: 32 bytes in base64url, and its JWK thumbprint. */
interface AuditKey {
  readonly publicKey: string
  readonly keyId: string
}

/** `/audit/jwks.json`, public: the key that signs checkpoints (RFC 7517 and RFC 8037). */
export function auditKeyRoute({
  readAuditKey,
}: {
  readonly readAuditKey: () => Promise<AuditKey>
}): FastifyPluginAsync {
  return async (app) => {
    app.get('/audit/jwks.json', { schema: { hide: true } }, async (_request, reply) => {
      const { publicKey: x, keyId: kid } = await readAuditKey()
      const key = { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' }
      return reply
        .header('cache-control', 'public, max-age=300')
        .type('application/jwk-set+json')
        .serializer(String)
        .send(JSON.stringify({ keys: [key] }))
    })
  }
}
