import { getFormatters } from '../language.ts'
import { t } from '../localized-text.ts'
import type { Messages } from '../messages.ts'

const { day, relativeTime } = getFormatters('ja')

/** Japanese: one message per screen. */
export const jaStates: Messages['states'] = {
  noneInWorkspace: ({ workspace }) => ({
    title: '接続できるツールがまだありません',
    body: t`${workspace} はこのリンクにまだツールを追加していません。${workspace} に追加を依頼してください。`,
  }),
  noneMatchKeys: ({ workspace }) => ({
    title: 'ここで接続できるツールはありません',
    body: t`このリンクで指定されたツールを ${workspace} は提供していません。${workspace} にお問い合わせください。`,
  }),
  noneWithSignIn: ({ workspace }) => ({
    title: 'サインインできるツールがありません',
    body: t`このリンクではサインインして使うツールのみ接続できますが、${workspace} はまだ設定していません。${workspace} にお問い合わせください。`,
  }),
  appMissing: ({ workspace, tool }) => ({
    title: t`${tool} はまだ設定されていません`,
    body: t`接続するには、先に ${workspace} が ${tool} へのサインインを設定する必要があります。${workspace} にお問い合わせください。`,
  }),
  appRemoved: ({ workspace, tool }) => ({
    title: t`${tool} は現在再接続できません`,
    body: t`先に ${workspace} が ${tool} へのサインインを設定し直す必要があります。接続は変更されていません。${workspace} にお問い合わせください。`,
  }),
  toolGone: ({ workspace }) => ({
    title: 'このツールはここでは利用できなくなりました',
    body: t`${workspace} はこのツールの提供を終了しました。何も変更されていません。引き続き必要な場合は ${workspace} にお問い合わせください。`,
  }),
  signIn: ({ workspace, tool, host }) => ({
    title: t`${tool} を ${workspace} に接続`,
    body: t`${host} でサインインし、共有する内容をそこで確認します。${workspace} がパスワードを見ることはありません。`,
  }),
  signInAgain: ({ workspace, tool, host }) => ({
    title: t`${tool} を ${workspace} に再接続`,
    body: t`${host} でサインインし、共有する内容をそこで確認します。${workspace} がパスワードを見ることはありません。`,
  }),
  beforeSignIn: ({ workspace, tool, host }) => ({
    title: t`${tool} へのこの接続は ${workspace} が作成したもので、審査されていません。${host} をご存じの場合にのみ進んでください。`,
    body: t`接続はいつでも解除できます。お心当たりがない場合は、このページを閉じてください。${workspace} には何も共有されません。`,
  }),
  waitingSignIn: ({ tool }) => ({
    title: t`${tool} へのサインインを完了してください`,
    body: t`${tool} は別のウィンドウで開いています。完了すると、このページは自動的に更新されます。`,
  }),
  popupBlocked: ({ tool }) => ({
    title: 'ブラウザがウィンドウをブロックしました',
    body: t`代わりに、このページで ${tool} に進んでください。完了するとここに戻ります。`,
  }),
  popupBlockedInFrame: ({ tool }) => ({
    title: 'ブラウザがウィンドウをブロックしました',
    body: t`代わりに、新しいタブで ${tool} に進んでください。完了すると、このページは自動的に更新されます。`,
  }),
  windowClosed: ({ tool }) => ({
    title: 'サインインが完了していません',
    body: t`${tool} へのサインインのウィンドウは閉じられたようです。もう一度お試しください。まだ開いている場合は、そこで完了してください。このページは自動的に更新されます。`,
  }),
  checking: ({ tool }) => ({
    title: t`${tool} で確認しています`,
    body: '数秒かかります。このページを開いたままお待ちください。',
  }),
  slow: ({ tool }) => ({
    title: t`${tool} の応答に時間がかかっています`,
    body: t`このままお待ちになるか、後でもう一度お試しください。${tool} が応答するまで何も接続されません。`,
  }),
  offline: () => ({
    title: 'オフラインです',
    body: '入力した内容は残っています。インターネット接続を確認して、もう一度お試しください。',
  }),
  connected: ({ workspace, tool }) => ({
    title: t`${tool} を接続しました`,
    body: t`このページを閉じて ${workspace} に戻ることができます。`,
  }),
  connectedAs: ({ workspace, tool, account }) => ({
    title: t`${tool} を接続しました`,
    body: t`${account} として接続しています。このページを閉じて ${workspace} に戻ることができます。`,
  }),
  failed: ({ tool }) => ({
    title: t`${tool} は接続されませんでした`,
    body: '何も共有されていません。',
  }),
  alreadyConnected: ({ tool, account }) => ({
    title: t`${account} はすでに接続されています`,
    body: t`${tool} の既存の接続を更新するか、別の接続として追加してください。選択するまで何も変わりません。`,
  }),
  expired: ({ workspace, at }) => ({
    title: t`このリンクは ${day(at)}に期限が切れました`,
    body: t`${workspace} に新しいリンクを依頼してください。これまでの接続はそのまま残ります。`,
  }),
  revoked: ({ workspace }) => ({
    title: t`${workspace} がこのリンクを終了しました`,
    body: t`${workspace} に新しいリンクを依頼してください。これまでの接続はそのまま残ります。`,
  }),
  unknownLink: () => ({
    title: 'このリンクは見つかりません',
    body: '一部が欠けている可能性があります。受け取った場所からもう一度開くか、新しいリンクを依頼してください。',
  }),
  full: ({ workspace }) => ({
    title: 'このリンクは上限に達しました',
    body: t`このリンクで許可された接続はすべて完了しています。${workspace} に新しいリンクを依頼してください。`,
  }),
  identifierFull: ({ workspace }) => ({
    title: 'このリンクで許可された接続はすべて完了しています',
    body: t`さらに接続するには、${workspace} に新しいリンクを依頼してください。`,
  }),
  alreadyFinished: ({ tool }) => ({
    title: 'すでに完了しています',
    body: t`${tool} のこのフォームはすでに送信されています。処理が重複することはありません。`,
  }),
  stillRunning: ({ tool }) => ({
    title: t`${tool} での確認が続いています`,
    body: 'このフォームはすでに送信されています。確認は続いており、処理が重複することはありません。',
  }),
  rateLimited: ({ seconds }) => ({
    title: 'リクエストが多すぎます',
    body: t`${relativeTime(seconds)}にもう一度お試しください。接続済みのものはそのまま残ります。`,
  }),
  tooManyFailed: ({ seconds }) => ({
    title: '失敗した回数が多すぎます',
    body: t`お使いのブラウザまたはネットワークからの入力が何度も拒否されました。${relativeTime(seconds)}にもう一度お試しください。接続済みのものはそのまま残ります。`,
  }),
  notHere: () => ({
    title: 'このページはここでは表示できません',
    body: 'このサイトは、表示を許可されたサイトの一覧にありません。サイトの運営会社に追加を依頼してください。',
  }),
  notOurs: () => ({
    title: 'このフォームは送信できませんでした',
    body: '安全のため、このページ自体から送信されたフォームのみ受け付けます。何も行われていません。リンクをもう一度開き、そのページからフォームを送信してください。',
  }),
  sessionStart: ({ workspace }) => ({
    title: t`${workspace} がツールの接続を求めています`,
    body: t`何を接続するかは次のページで選びます。${workspace} から来た場合にのみ続けてください。続けると、このページはこのブラウザーでのみ使えます。`,
  }),
  sessionStartOne: ({ workspace, tool }) => ({
    title: t`${tool} を ${workspace} に接続`,
    body: t`${workspace} から来た場合にのみ続けてください。続けると、このページはこのブラウザーでのみ使えます。`,
  }),
  sessionRefused: () => ({
    title: 'このページは使用できません',
    body: 'このページは一度だけ、一つのブラウザーで、限られた時間だけ使えます。元の場所に戻り、最初からやり直してください。',
  }),
  sessionUsed: ({ workspace }) => ({
    title: 'このリンクはすでに使われています',
    body: t`このリンクでの手続きは完了しています。ほかのツールを接続するには、${workspace} に新しいリンクを依頼してください。`,
  }),
  sessionElsewhere: ({ workspace }) => ({
    title: 'このリンクは別のブラウザーで開かれました',
    body: t`安全のため、最初に開いたブラウザーでのみ使えます。そのブラウザーで続けるか、${workspace} に新しいリンクを依頼してください。`,
  }),
  sessionRequired: () => ({
    title: 'このページには招待が必要です',
    body: 'ここへ案内したアプリに戻り、そこから始めてください。',
  }),
  wrongAddress: () => ({
    title: 'このリンクは無効です',
    body: '誰のためのリンクかが正しく示されていないため、何も行われませんでした。リンクを送った会社にお問い合わせください。',
  }),
  notOffered: ({ workspace, tool }) => ({
    title: t`${tool} はここでは利用できなくなりました`,
    body: t`${workspace} がこのリンクを変更しました。何も接続されておらず、入力内容も保存していません。`,
  }),
  wayChanged: ({ workspace, tool }) => ({
    title: t`${tool} の接続方法が変わりました`,
    body: t`${workspace} がこの接続を変更しました。何も接続されておらず、入力内容も保存していません。`,
  }),
  redirectNotAllowed: () => ({
    title: 'このリンクの戻り先は許可されていません',
    body: 'リンクを送った会社がこのアドレスを許可していないため、何も行われませんでした。その会社にお問い合わせください。',
  }),
  busy: () => ({
    title: '現在続行できません',
    body: '問題はこちら側にあり、何も接続されていません。1 分ほど待ってから、最初からやり直してください。',
  }),
  closed: () => ({
    title: 'このウィンドウは閉じてかまいません',
    body: '元のページは自動的に更新されます。',
  }),
  notKnown: () => ({
    title: 'このページの有効期限が切れました',
    body: 'すでに使用されたか、10 分が経過しました。元の場所に戻って、最初からやり直してください。',
  }),
  finished: () => ({
    title: 'すでに完了しています',
    body: 'このページは閉じてかまいません。接続されたかどうかは、元のページで確認できます。',
  }),
  adminConsent: () => ({
    title: '管理者の許可が与えられました',
    body: 'まだ何も接続されていません。接続したいアプリに戻り、そこから始めてください。',
  }),
  startedElsewhere: () => ({
    title: 'このサインインは別の場所から始める必要があります',
    body: '接続したいアプリから開始されたものではないため、何も接続されませんでした。そのアプリを開き、そこから接続してください。',
  }),
  otherBrowser: () => ({
    title: '別のブラウザで開始されています',
    body: '安全のため中止し、何も接続しませんでした。最初からやり直し、同じブラウザをお使いください。Cookie を許可する必要があります。',
  }),
}
