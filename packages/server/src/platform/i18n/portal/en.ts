import { getFormatters } from '../language.ts'
import { t } from '../localized-text.ts'
import type { PortalMessages } from '../portal-messages.ts'

const { day, daysAgo, number, plural } = getFormatters('en')

/** English: the list of a customer's connections. */
export const enPortal: PortalMessages = {
  start: ({ workspace }) => ({
    title: t`Your connections to ${workspace}`,
    body: t`See what you've connected to ${workspace} on the next page. Continue only if you came here from ${workspace}; this page then works in this browser only.`,
  }),
  title: ({ workspace }) => t`Your connections to ${workspace}`,
  body: 'Disconnect what you no longer need.',
  attention: ({ count, total }) =>
    plural(count, {
      one: `${number(count)} of ${plural(total, { one: '1 connection', other: `${number(total)} connections` })} needs attention`,
      other: `${number(count)} of ${number(total)} connections need attention`,
    }),
  none: ({ workspace }) => ({
    title: 'Nothing is connected',
    body: t`Tools that you connect to ${workspace} are listed here.`,
  }),
  signedInAs: ({ account }) => t`Signed in as ${account}`,
  connectedOn: ({ at }) => `Connected on ${day(at)}`,
  lastUsedOn: ({ at }) => `Last used on ${day(at)}`,
  lastUsedAgo: ({ count }) => `Last used ${daysAgo(count)}`,
  neverUsed: 'Not used yet',
  active: 'Working',
  needsReauth: 'Stopped working. Reconnect it.',
  error: ({ workspace }) => t`Not working right now. ${workspace} has to fix it.`,
  pending: ({ workspace }) => t`Waiting for ${workspace} to confirm it`,
  more: ({ tool, account }) => t`More for ${tool}: ${account}`,
  disconnect: 'Disconnect',
  disconnectAccount: ({ tool, account }) => t`Disconnect ${tool}: ${account}`,
  reconnect: 'Reconnect',
  reconnectAccount: ({ tool, account }) => t`Reconnect ${tool}: ${account}`,
  connectFirst: 'Connect a tool',
  showMore: 'Show more',
  yourConnections: 'Your connections',
  ask: ({ tool, workspace }) => ({
    title: t`Disconnect ${tool}?`,
    body: t`${workspace} will no longer be able to use this connection, and what we've stored for it is erased. You can connect ${tool} again at any time.`,
  }),
  confirm: ({ tool }) => t`Disconnect ${tool}`,
  keep: 'Keep it connected',
  disconnected: ({ tool }) => t`${tool} is disconnected`,
  revoked: ({ tool }) =>
    t`${tool} confirmed that it revoked the access, and we've erased what we stored.`,
  revocationUnsupported: ({ tool }) =>
    t`We've erased what we stored. ${tool} has no way for us to revoke the access; you can do it in your settings of ${tool}.`,
  revocationFailed: ({ tool }) =>
    t`We've erased what we stored, but ${tool} didn't confirm that it revoked the access. To be sure, remove it in your settings of ${tool}.`,
  grantShared: ({ tool }) =>
    t`We've erased what we stored. Another connection uses the same sign-in to ${tool}; the access is revoked when you disconnect that one, too.`,
  nothingToRevoke: ({ tool }) =>
    t`We've erased what we stored. If you created a key for this, delete it in your settings of ${tool}.`,
  gone: () => ({
    title: "This connection isn't listed any more",
    body: 'It may have been disconnected already. Nothing was changed.',
  }),
}
