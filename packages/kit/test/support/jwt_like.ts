import { defineIntegration, jwtBearer, text } from '@linchpin/kit'

const fields = { issuer: text('Issuer', { help: 'Shown beside the key.' }) }
const claims = { iss: '${issuer}', aud: 'https://api.jwt.test/token' }
const tokenUrl = 'https://api.jwt.test/token'

/** Signs in with a private key, like service accounts. */
export default defineIntegration({
  key: 'jwt_like',
  name: 'JWT-like',
  category: 'OTHER',
  version: '1.0.0',
  docs: 'https://jwt.test/docs',
  hosts: ['api.jwt.test'],
  auth: {
    RS256: jwtBearer({ claims, fields, tokenUrl }),
    PS256: jwtBearer({ algorithm: 'PS256', claims, fields, tokenUrl }),
    ES256: jwtBearer({ algorithm: 'ES256', claims, fields, tokenUrl }),
    Direct: jwtBearer({ algorithm: 'ES256', claims, fields }),
  },
  check: { path: '/me' },
})
