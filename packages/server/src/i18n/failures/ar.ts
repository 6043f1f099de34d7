import { t } from '../localized-text.ts'
import type { Messages } from '../messages.ts'

/** Arabic: what happened, and whose move it is. */
export const arFailures: Messages['failures'] = {
  access_denied: ({ tool }) =>
    t`رفضت أنت أو مدير حسابك في ${tool} الطلب. لم تتم مشاركة أي شيء. إذا كان ذلك خطأ فابدأ من جديد.`,
  authorization_request_failed: ({ tool, workspace }) =>
    t`لم يقبل ${tool} طلب تسجيل دخولك. لم تتم مشاركة أي شيء. أخبر ${workspace} لأن إصلاح ذلك بيدها وحدها.`,
  cancelled: ({ tool }) => t`ألغيت الأمر قبل أن يجيب ${tool}. لم يُربط شيء. ابدأ من جديد متى شئت.`,
  credentials_rejected: ({ tool, workspace }) =>
    t`لم يقبل ${tool} ما أدخلته. تحقق منه أو أدخل بيانات جديدة. إذا استمر ذلك فأخبر ${workspace}.`,
  identity_mismatch: ({ tool }) =>
    t`سجّلت الدخول إلى ${tool} كشخص مختلف عن المرة السابقة. سجّل الخروج هناك ثم ابدأ من جديد بالشخص نفسه.`,
  insufficient_scope: ({ tool }) =>
    t`يعرف ${tool} هذا المفتاح لكن صلاحياته لا تكفي. امنحه صلاحيات أكثر في ${tool} أو استخدم مفتاحًا آخر.`,
  integration_failed: ({ tool, workspace }) =>
    t`تعذّر عمل الجزء الذي يتواصل مع ${tool}. ليس هذا خطأك؛ أخبر ${workspace} بذلك.`,
  integration_timeout: ({ tool, workspace }) =>
    t`استغرق الجزء الذي يتواصل مع ${tool} وقتًا أطول من اللازم. حاول مرة أخرى. إذا استمر ذلك فأخبر ${workspace}.`,
  invalid_credentials: ({ tool }) =>
    t`لم يقبل ${tool} هذا المفتاح. انسخه كاملًا مرة أخرى أو أنشئ مفتاحًا جديدًا في ${tool}.`,
  link_expired: ({ workspace }) => t`انتهت صلاحية الرابط. اطلب من ${workspace} رابطًا جديدًا.`,
  link_full: ({ workspace }) =>
    t`تم ربط كل ما يسمح به هذا الرابط. اطلب من ${workspace} رابطًا جديدًا.`,
  link_identifier_full: ({ workspace }) =>
    t`لقد ربطت كل ما يسمح به هذا الرابط. اطلب من ${workspace} رابطًا جديدًا.`,
  link_revoked: ({ workspace }) => t`أغلقت ${workspace} الرابط. اطلب رابطًا جديدًا.`,
  oauth_app_missing: ({ tool, workspace }) =>
    t`تسجيل الدخول إلى ${tool} غير جاهز بعد. هذا من شأن ${workspace}؛ أخبرهم بذلك.`,
  oauth_attempt_invalid: ({ workspace }) =>
    t`غيّرت ${workspace} شيئًا في هذه الأثناء. ارجع وابدأ من جديد.`,
  oauth_issuer_mismatch: ({ tool }) =>
    t`لم يأتِ الرد من حيث سجّلت الدخول إلى ${tool}. حفاظًا على أمانك أوقفنا العملية. ابدأ من جديد.`,
  other_browser: ({ tool }) =>
    t`سجّلت الدخول إلى ${tool} في متصفح آخر. حفاظًا على أمانك أوقفنا العملية. ابدأ من جديد وابقَ في متصفح واحد.`,
  oauth_start_revoked: ({ tool, workspace }) =>
    t`سحبت ${workspace} طلبها ولم يتم ربط ${tool}. اسأل هناك إذا كنت لا تزال تريد ذلك.`,
  provider_error: ({ tool }) => t`لا يستطيع ${tool} الرد الآن. انتظر بضع دقائق ثم ابدأ من جديد.`,
  provider_timeout: ({ tool }) =>
    t`استغرق ${tool} وقتًا أطول من اللازم للرد. انتظر بضع دقائق ثم ابدأ من جديد.`,
  rate_limited: ({ tool }) => t`يطلب منا ${tool} التمهّل. انتظر دقيقة ثم حاول مرة أخرى.`,
  sign_in_overdue: ({ tool }) =>
    t`لم يكتمل تسجيل الدخول إلى ${tool} خلال 10 دقائق. ابدأ من جديد عندما يتوفر لديك الوقت.`,
  sign_in_rejected: ({ tool, workspace }) =>
    t`سمح لك ${tool} بالدخول لكنه لم يقبل الوصول الذي منحه. ابدأ من جديد. إذا استمر ذلك فأخبر ${workspace}.`,
  window_replaced: ({ tool }) =>
    t`فتحت نافذة ${tool} من جديد، ولم تعد هذه النافذة صالحة. أغلقها وتابع في الأخرى.`,
  wrong_host: ({ tool }) =>
    t`لا يوجد ${tool} في هذا العنوان. تحقق من العنوان وانسخه من متصفحك وأنت مسجّل الدخول.`,
  unknown: ({ tool, workspace }) =>
    t`لم يستجب ${tool} كما ينبغي. ابدأ من جديد. إذا استمر ذلك فأخبر ${workspace}.`,
}
