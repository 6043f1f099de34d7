import { getFormatters } from '../language.ts'
import { t } from '../localized-text.ts'
import type { PortalMessages } from '../portal-messages.ts'

const { day, daysAgo, number, plural } = getFormatters('de')

/** German, formal. */
export const dePortal: PortalMessages = {
  start: ({ workspace }) => ({
    title: t`Ihre Verbindungen zu ${workspace}`,
    body: t`Auf der nächsten Seite sehen Sie, was Sie mit ${workspace} verbunden haben. Fahren Sie nur fort, wenn Sie von ${workspace} hierhergekommen sind; die Seite funktioniert dann nur in diesem Browser.`,
  }),
  title: ({ workspace }) => t`Ihre Verbindungen zu ${workspace}`,
  body: 'Trennen Sie, was Sie nicht mehr brauchen.',
  attention: ({ count, total }) =>
    plural(count, {
      one: `${number(count)} von ${number(total)} Verbindungen braucht Ihre Aufmerksamkeit`,
      other: `${number(count)} von ${number(total)} Verbindungen brauchen Ihre Aufmerksamkeit`,
    }),
  none: ({ workspace }) => ({
    title: 'Nichts ist verbunden',
    body: t`Tools, die Sie mit ${workspace} verbinden, stehen dann hier.`,
  }),
  signedInAs: ({ account }) => t`Angemeldet als ${account}`,
  connectedOn: ({ at }) => `Verbunden am ${day(at)}`,
  lastUsedOn: ({ at }) => `Zuletzt benutzt am ${day(at)}`,
  lastUsedAgo: ({ count }) => `Zuletzt benutzt: ${daysAgo(count)}`,
  neverUsed: 'Noch nicht benutzt',
  active: 'Funktioniert',
  needsReauth: 'Funktioniert nicht mehr. Verbinden Sie das Tool erneut.',
  error: ({ workspace }) => t`Funktioniert gerade nicht. ${workspace} muss es beheben.`,
  pending: ({ workspace }) => t`Wartet auf die Bestätigung durch ${workspace}`,
  more: ({ tool, account }) => t`Mehr zu ${tool}: ${account}`,
  disconnect: 'Trennen',
  disconnectAccount: ({ tool, account }) => t`${tool} trennen: ${account}`,
  reconnect: 'Erneut verbinden',
  reconnectAccount: ({ tool, account }) => t`${tool} erneut verbinden: ${account}`,
  connectFirst: 'Tool verbinden',
  showMore: 'Mehr anzeigen',
  yourConnections: 'Ihre Verbindungen',
  ask: ({ tool, workspace }) => ({
    title: t`${tool} trennen?`,
    body: t`${workspace} kann diese Verbindung dann nicht mehr benutzen, und was wir dafür gespeichert haben, wird gelöscht. Sie können ${tool} jederzeit wieder verbinden.`,
  }),
  confirm: ({ tool }) => t`${tool} trennen`,
  keep: 'Verbunden lassen',
  disconnected: ({ tool }) => t`${tool} ist getrennt`,
  revoked: ({ tool }) =>
    t`${tool} hat bestätigt, dass der Zugriff widerrufen ist, und wir haben alles Gespeicherte gelöscht.`,
  revocationUnsupported: ({ tool }) =>
    t`Wir haben alles Gespeicherte gelöscht. Bei ${tool} können wir den Zugriff nicht widerrufen; das können Sie in Ihren Einstellungen von ${tool} tun.`,
  revocationFailed: ({ tool }) =>
    t`Wir haben alles Gespeicherte gelöscht, aber ${tool} hat den Widerruf nicht bestätigt. Entfernen Sie den Zugriff sicherheitshalber in Ihren Einstellungen von ${tool}.`,
  grantShared: ({ tool }) =>
    t`Wir haben alles Gespeicherte gelöscht. Eine weitere Verbindung benutzt dieselbe Anmeldung bei ${tool}; der Zugriff wird widerrufen, sobald Sie auch diese trennen.`,
  nothingToRevoke: ({ tool }) =>
    t`Wir haben alles Gespeicherte gelöscht. Wenn Sie dafür einen Schlüssel erstellt haben, löschen Sie ihn in Ihren Einstellungen von ${tool}.`,
  gone: () => ({
    title: 'Diese Verbindung gibt es hier nicht mehr',
    body: 'Vielleicht ist sie schon getrennt. Nichts wurde geändert.',
  }),
}
