import { t } from '../localized-text.ts'
import type { Messages } from '../messages.ts'

/** Arabic: what happened and what to do about it. */
export const arFailures: Messages['failures'] = {
  access_denied: () => 'رُفض الوصول. لم تتم مشاركة أي شيء. إذا كان ذلك خطأ فابدأ من جديد.',
  authorization_request_failed: ({ workspace, tool }) =>
    t`لم يقبل ${tool} طلب تسجيل الدخول. لم تتم مشاركة أي شيء. تواصل مع ${workspace} لأن إصلاح ذلك بيدها وحدها.`,
  cancelled: ({ tool }) => t`ألغيت الأمر قبل أن يستجيب ${tool}. لم يُربط شيء. ابدأ من جديد متى شئت.`,
  credentials_rejected: ({ workspace, tool }) =>
    t`لم يقبل ${tool} ما أدخلته. تحقق منه ثم حاول مرة أخرى. هل ما زالت المشكلة قائمة؟ تواصل مع ${workspace}.`,
  egress_unavailable: ({ workspace, tool }) =>
    t`تعذّر علينا الوصول إلى ${tool} بسبب مشكلة في الشبكة من جهتنا. حاول مرة أخرى بعد بضع دقائق. هل ما زالت المشكلة قائمة؟ تواصل مع ${workspace}.`,
  identity_mismatch: ({ tool }) =>
    t`سجّلت الدخول إلى ${tool} بحساب مختلف عن المرة السابقة. سجّل الخروج هناك ثم ابدأ من جديد بالحساب نفسه.`,
  insufficient_scope: ({ tool }) =>
    t`قبل ${tool} هذا المفتاح لكن صلاحياته لا تكفي. امنحه صلاحيات أكثر في ${tool} أو استخدم مفتاحًا آخر.`,
  integration_failed: ({ workspace, tool }) =>
    t`تعذّر ربط ${tool} بسبب خطأ من جهتنا. حاول مرة أخرى؛ إذا تكرر ذلك فتواصل مع ${workspace}.`,
  integration_timeout: ({ workspace, tool }) =>
    t`استغرق ربط ${tool} وقتًا أطول من اللازم. حاول مرة أخرى؛ إذا تكرر ذلك فتواصل مع ${workspace}.`,
  invalid_credentials: ({ workspace, tool }) =>
    t`لم يقبل ${tool} هذا المفتاح. تأكد من أنك نسخته كاملًا أو أنشئ مفتاحًا جديدًا. هل ما زالت المشكلة قائمة؟ تواصل مع ${workspace}.`,
  link_expired: ({ workspace }) => t`انتهت صلاحية هذا الرابط. اطلب من ${workspace} رابطًا جديدًا.`,
  link_full: ({ workspace }) => t`بلغ هذا الرابط حدّه الأقصى. اطلب من ${workspace} رابطًا جديدًا.`,
  link_identifier_full: ({ workspace }) =>
    t`لقد ربطت كل ما يسمح به هذا الرابط. اطلب من ${workspace} رابطًا جديدًا.`,
  link_revoked: ({ workspace }) => t`أغلقت ${workspace} هذا الرابط. اطلب رابطًا جديدًا.`,
  oauth_app_missing: ({ workspace, tool }) =>
    t`لم يتم إعداد تسجيل الدخول إلى ${tool} بعد. اطلب من ${workspace} إعداده.`,
  oauth_attempt_invalid: ({ workspace }) =>
    t`غيّرت ${workspace} شيئًا في هذه الأثناء. ارجع وابدأ من جديد.`,
  oauth_issuer_mismatch: ({ tool }) =>
    t`لم يأتِ الرد من الموقع الذي سجّلت فيه الدخول إلى ${tool}. حفاظًا على أمانك أوقفنا العملية. ابدأ من جديد.`,
  other_browser: ({ tool }) =>
    t`سجّلت الدخول إلى ${tool} في متصفح آخر. حفاظًا على أمانك أوقفنا العملية. ابدأ من جديد وابقَ في متصفح واحد.`,
  oauth_start_revoked: ({ workspace, tool }) =>
    t`سحبت ${workspace} هذا الطلب، لذلك لم يتم ربط ${tool}. تواصل مع ${workspace} إذا كنت لا تزال تريد ربطه.`,
  provider_error: ({ tool }) => t`لا يستجيب ${tool} الآن. حاول مرة أخرى بعد بضع دقائق.`,
  provider_timeout: ({ tool }) =>
    t`استغرق ${tool} وقتًا أطول من اللازم للرد. حاول مرة أخرى بعد بضع دقائق.`,
  rate_limited: ({ tool }) => t`يحدّ ${tool} من عدد الطلبات الآن. انتظر دقيقة ثم حاول مرة أخرى.`,
  sign_in_overdue: ({ tool }) =>
    t`لم يكتمل تسجيل الدخول إلى ${tool} خلال 10 دقائق. ابدأ من جديد عندما تكون مستعدًا.`,
  sign_in_rejected: ({ workspace, tool }) =>
    t`سجّلت الدخول، لكن ${tool} رفض بعد ذلك الوصول الذي منحه. ابدأ من جديد؛ إذا تكرر ذلك فتواصل مع ${workspace}.`,
  window_replaced: ({ tool }) =>
    t`فتحت ${tool} من جديد في نافذة أخرى. أغلق هذه النافذة وتابع هناك.`,
  wrong_host: ({ tool }) =>
    t`لا يوجد ${tool} في هذا العنوان. تحقق منه أو انسخه من متصفحك وأنت مسجّل الدخول.`,
  unknown: ({ workspace, tool }) =>
    t`أرسل ${tool} ردًا غير متوقع. ابدأ من جديد؛ إذا تكرر ذلك فتواصل مع ${workspace}.`,
}
