import { getFormatters } from '../language.ts'
import { t } from '../localized-text.ts'
import type { PortalMessages } from '../portal-messages.ts'

const { day, daysAgo, number } = getFormatters('ja')

/** Japanese. */
export const jaPortal: PortalMessages = {
  start: ({ workspace }) => ({
    title: t`${workspace} との接続`,
    body: t`次のページで、${workspace} に接続したツールを確認できます。${workspace} から来た場合にのみ続けてください。このページは、その後このブラウザーでのみ使えます。`,
  }),
  title: ({ workspace }) => t`${workspace} との接続`,
  body: '不要になったツールは接続を解除できます。',
  attention: ({ count, total }) =>
    `${number(total)} 件中 ${number(count)} 件の接続に対応が必要です`,
  none: ({ workspace }) => ({
    title: '接続しているツールはありません',
    body: t`${workspace} に接続したツールがここに表示されます。`,
  }),
  signedInAs: ({ account }) => t`${account} としてログイン中`,
  connectedOn: ({ at }) => `接続日：${day(at)}`,
  lastUsedOn: ({ at }) => `最終使用日：${day(at)}`,
  lastUsedAgo: ({ count }) => `最終使用：${daysAgo(count)}`,
  neverUsed: 'まだ使われていません',
  active: '正常です',
  needsReauth: '使えなくなりました。もう一度接続してください。',
  error: ({ workspace }) => t`現在使えません。${workspace} による対応が必要です。`,
  pending: ({ workspace }) => t`${workspace} の確認を待っています`,
  more: ({ tool, account }) => t`${tool} のその他の操作：${account}`,
  disconnect: '接続を解除',
  disconnectAccount: ({ tool, account }) => t`${tool} の接続を解除：${account}`,
  reconnect: '再接続',
  reconnectAccount: ({ tool, account }) => t`${tool} を再接続：${account}`,
  connectFirst: 'ツールを接続',
  showMore: 'さらに表示',
  yourConnections: '接続の一覧',
  ask: ({ tool, workspace }) => ({
    title: t`${tool} の接続を解除しますか？`,
    body: t`${workspace} はこの接続を使えなくなり、保存した情報は消去されます。${tool} はいつでも接続し直せます。`,
  }),
  confirm: ({ tool }) => t`${tool} の接続を解除`,
  keep: '接続したままにする',
  disconnected: ({ tool }) => t`${tool} の接続を解除しました`,
  revoked: ({ tool }) => t`${tool} がアクセスの取り消しを確認し、保存していた情報を消去しました。`,
  revocationUnsupported: ({ tool }) =>
    t`保存していた情報を消去しました。${tool} へのアクセスはこちらから取り消せないため、${tool} の設定で取り消してください。`,
  revocationFailed: ({ tool }) =>
    t`保存していた情報を消去しましたが、${tool} はアクセスの取り消しを確認しませんでした。念のため、${tool} の設定でアクセスを削除してください。`,
  grantShared: ({ tool }) =>
    t`保存していた情報を消去しました。別の接続が ${tool} への同じログインを使っています。その接続も解除すると、アクセスが取り消されます。`,
  nothingToRevoke: ({ tool }) =>
    t`保存していた情報を消去しました。このためにキーを作成した場合は、${tool} の設定で削除してください。`,
  gone: () => ({
    title: 'この接続は一覧にありません',
    body: 'すでに解除されている可能性があります。何も変更されていません。',
  }),
}
