import { Linchpin } from '@linchpin/sdk'

const { LINCHPIN_URL: baseUrl, LINCHPIN_TOKEN: token } = process.env
const linchpin = new Linchpin({ baseUrl, token })
const wanted = { accountIdentifier: 'customer-2', integrationDefinitionIds: ['acme_sandbox'] }
const { url, connectSessionId: subject } = await linchpin.connectSessions.create(wanted)
console.log('Open', url)
const { value } = await linchpin.events.tail({ subject, types: 'connect_session.completed' }).next()
const [accountId] = value.data.connectSession.integrationAccountIds
const response = await linchpin.account(accountId).fetch('/tickets')
console.log(await response.json())
