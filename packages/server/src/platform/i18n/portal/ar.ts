import { getFormatters } from '../language.ts'
import { t } from '../localized-text.ts'
import type { PortalMessages } from '../portal-messages.ts'

const { day, daysAgo, number } = getFormatters('ar')

/** Arabic. */
export const arPortal: PortalMessages = {
  start: ({ workspace }) => ({
    title: t`اتصالاتك مع ${workspace}`,
    body: t`تعرض الصفحة التالية ما ربطته مع ${workspace}. تابع فقط إذا جئت إلى هنا من ${workspace}؛ بعد ذلك تعمل هذه الصفحة في هذا المتصفح فقط.`,
  }),
  title: ({ workspace }) => t`اتصالاتك مع ${workspace}`,
  body: 'افصل ما لم تعد بحاجة إليه.',
  attention: ({ count, total }) => `يحتاج إلى انتباهك: ${number(count)} من ${number(total)}`,
  none: ({ workspace }) => ({
    title: 'لا توجد أدوات مربوطة',
    body: t`تظهر هنا الأدوات التي تربطها مع ${workspace}.`,
  }),
  signedInAs: ({ account }) => t`تم تسجيل الدخول باسم ${account}`,
  connectedOn: ({ at }) => `تم الربط في ${day(at)}`,
  lastUsedOn: ({ at }) => `آخر استخدام في ${day(at)}`,
  lastUsedAgo: ({ count }) => `آخر استخدام: ${daysAgo(count)}`,
  neverUsed: 'لم يُستخدم بعد',
  active: 'يعمل',
  needsReauth: 'توقف عن العمل. اربطه من جديد.',
  error: ({ workspace }) => t`لا يعمل الآن. على ${workspace} إصلاحه.`,
  pending: ({ workspace }) => t`في انتظار تأكيد ${workspace}`,
  more: ({ tool, account }) => t`المزيد عن ${tool}: ${account}`,
  disconnect: 'فصل',
  disconnectAccount: ({ tool, account }) => t`فصل ${tool}: ${account}`,
  reconnect: 'إعادة الربط',
  reconnectAccount: ({ tool, account }) => t`إعادة ربط ${tool}: ${account}`,
  connectFirst: 'ربط أداة',
  showMore: 'عرض المزيد',
  yourConnections: 'اتصالاتك',
  ask: ({ tool, workspace }) => ({
    title: t`هل تريد فصل ${tool}؟`,
    body: t`لن يستطيع ${workspace} بعد ذلك استخدام هذا الاتصال، وسيُمحى ما خزّناه. يمكنك ربط ${tool} من جديد في أي وقت.`,
  }),
  confirm: ({ tool }) => t`فصل ${tool}`,
  keep: 'إبقاء الاتصال',
  disconnected: ({ tool }) => t`تم فصل ${tool}`,
  revoked: ({ tool }) => t`أكد ${tool} إلغاء الوصول، ومحونا ما خزّناه.`,
  revocationUnsupported: ({ tool }) =>
    t`محونا ما خزّناه. لا يتيح لنا ${tool} إلغاء الوصول؛ يمكنك إلغاؤه في إعداداتك في ${tool}.`,
  revocationFailed: ({ tool }) =>
    t`محونا ما خزّناه، لكن ${tool} لم يؤكد إلغاء الوصول. للتأكد، أزِله من إعداداتك في ${tool}.`,
  grantShared: ({ tool }) =>
    t`محونا ما خزّناه. يستخدم اتصال آخر تسجيل الدخول نفسه إلى ${tool}؛ يُلغى الوصول عندما تفصل ذلك الاتصال أيضًا.`,
  nothingToRevoke: ({ tool }) =>
    t`محونا ما خزّناه. إذا أنشأت مفتاحًا لهذا الغرض، فاحذفه من إعداداتك في ${tool}.`,
  gone: () => ({
    title: 'لم يعد هذا الاتصال في القائمة',
    body: 'ربما فُصل من قبل. لم يتغير شيء.',
  }),
}
