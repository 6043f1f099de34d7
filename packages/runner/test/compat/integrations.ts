/** Realistic integrations, by the HTTP client that they use. Each implements SPEC, CHECK and RUN. */
export const integrations: Readonly<Record<string, string>> = {
  axios: createIntegrationCode(`
    import axios from 'axios'
    const send = async (method, url, headers, data) => {
      const answer = await axios({ method, url, headers, data, timeout: 3000 })
      return [answer.status, answer.data, answer.headers['x-two']]
    }`),
  'node-fetch and form-data': createIntegrationCode(`
    import fetch from 'node-fetch'
    import FormData from 'form-data'
    const send = async (method, url, headers, data) => {
      let body
      if (data) {
        body = new FormData()
        for (const [name, value] of Object.entries(data)) body.append(name, Buffer.from(String(value)), name + '.txt')
      }
      const answer = await fetch(url, { method, headers, body })
      if (!answer.ok) throw new Error('HTTP ' + answer.status + ' ' + (await answer.text()))
      return [answer.status, await answer.json(), answer.headers.get('x-two')]
    }`),
  'the global fetch': createIntegrationCode(`
    const send = async (method, url, headers, data) => {
      const answer = await fetch(url, { method, headers, body: data && JSON.stringify(data) })
      if (!answer.ok) throw new Error('HTTP ' + answer.status)
      return [answer.status, await answer.json(), answer.headers.get('x-two')]
    }`),
  'http alone': createIntegrationCode(`
    import http from 'http'
    import zlib from 'zlib'
    const send = (method, url, headers, data) => new Promise((resolve, reject) => {
      const accepted = { ...headers, 'Accept-Encoding': 'br' }
      const request = http.request(url, { method, headers: accepted }, (response) => {
        const packed = response.headers['content-encoding'] === 'br'
        const stream = packed ? response.pipe(zlib.createBrotliDecompress()) : response
        const chunks = []
        stream.on('data', (chunk) => chunks.push(chunk)).on('error', reject)
        stream.on('end', () => {
          if (response.statusCode >= 300) return reject(new Error('HTTP ' + response.statusCode))
          resolve([response.statusCode, JSON.parse(Buffer.concat(chunks)), response.headers['x-two']])
        })
      })
      request.on('error', reject)
      request.end(data && JSON.stringify(data))
    })`),
}

function createIntegrationCode(client: string): string {
  return `${client}
    const headersOf = (config) => ({ Authorization: 'Bearer ' + config.api_key, 'X-Case': 'Kept' })
    const spec = { 'Api Key': { input_specification: { type: 'object', properties: { api_key: { type: 'string' } } } } }
    const settle = (promise) => promise.catch((e) => [e.name, e.code, e.message, String(e.stack).split('\\n')[0].length > 0])
    export default async function main(command, { config }) {
      if (command === 'SPEC') return { auth_specification: spec }
      if (command === 'CHECK') {
        try {
          const [, me] = await send('GET', config.url + '/me?q=a%20b&q=%C3%BC', headersOf(config))
          return { status: me.user.name === 'Ann', error: '' }
        } catch (error) {
          return { status: false, error: error.message, code: error.code }
        }
      }
      const out = []
      for (const path of ['/json', '/packed', '/redirect', '/html', '/missing']) {
        out.push(await settle(send('GET', config.url + path, headersOf(config))))
      }
      out.push(await settle(send('POST', config.url + '/json', headersOf(config), { a: 1, b: 'ü' })))
      return out
    }`
}
