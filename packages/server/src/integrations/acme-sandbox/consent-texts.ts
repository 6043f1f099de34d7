import type { Language } from '../../platform/i18n/language.ts'

/** The texts of the consent page. */
export interface ConsentTexts {
  readonly title: string
  readonly body: string
  readonly access: string
  readonly as: (name: string) => string
  readonly deny: string
  readonly invalid: { readonly title: string; readonly body: string }
}

/** The texts of the consent page by language. */
export const CONSENT_TEXTS: Readonly<Record<Language, ConsentTexts>> = {
  en: {
    title: 'Sign in to Acme Sandbox',
    body: 'A tool for tests. Its people and tickets are made up, and nothing leaves this service.',
    access: 'Linchpin asks to read and create tickets.',
    as: (name) => `Continue as ${name}`,
    deny: 'Deny',
    invalid: {
      title: 'This sign-in cannot continue',
      body: 'The request for it is incomplete. Go back and start again.',
    },
  },
  de: {
    title: 'Bei Acme Sandbox anmelden',
    body: 'Ein Tool für Tests. Seine Personen und Tickets sind erfunden, und nichts verlässt diesen Dienst.',
    access: 'Linchpin möchte Tickets lesen und anlegen.',
    as: (name) => `Als ${name} fortfahren`,
    deny: 'Ablehnen',
    invalid: {
      title: 'Diese Anmeldung kann nicht fortgesetzt werden',
      body: 'Die Anfrage ist unvollständig. Gehen Sie zurück und beginnen Sie neu.',
    },
  },
  fr: {
    title: 'Se connecter à Acme Sandbox',
    body: 'Un outil de test. Ses personnes et ses tickets sont fictifs, et rien ne quitte ce service.',
    access: 'Linchpin demande à lire et à créer des tickets.',
    as: (name) => `Continuer en tant que ${name}`,
    deny: 'Refuser',
    invalid: {
      title: 'Cette connexion ne peut pas continuer',
      body: 'La demande est incomplète. Revenez en arrière et recommencez.',
    },
  },
  es: {
    title: 'Iniciar sesión en Acme Sandbox',
    body: 'Una herramienta de prueba. Sus personas y tickets son ficticios, y nada sale de este servicio.',
    access: 'Linchpin solicita leer y crear tickets.',
    as: (name) => `Continuar como ${name}`,
    deny: 'Rechazar',
    invalid: {
      title: 'Este inicio de sesión no puede continuar',
      body: 'La solicitud está incompleta. Vuelva atrás y empiece de nuevo.',
    },
  },
  it: {
    title: 'Accedi ad Acme Sandbox',
    body: 'Uno strumento di prova. Persone e ticket sono inventati e nulla lascia questo servizio.',
    access: 'Linchpin chiede di leggere e creare ticket.',
    as: (name) => `Continua come ${name}`,
    deny: 'Rifiuta',
    invalid: {
      title: 'Questo accesso non può continuare',
      body: 'La richiesta è incompleta. Torna indietro e ricomincia.',
    },
  },
  pt: {
    title: 'Entrar no Acme Sandbox',
    body: 'Uma ferramenta de teste. As pessoas e os tickets são fictícios, e nada sai deste serviço.',
    access: 'O Linchpin pede para ler e criar tickets.',
    as: (name) => `Continuar como ${name}`,
    deny: 'Recusar',
    invalid: {
      title: 'Este início de sessão não pode continuar',
      body: 'O pedido está incompleto. Volte atrás e comece de novo.',
    },
  },
  ja: {
    title: 'Acme Sandbox にサインイン',
    body: 'テスト用のツールです。人物とチケットは架空のもので、データがこのサービスの外に出ることはありません。',
    access: 'Linchpin がチケットの閲覧と作成を求めています。',
    as: (name) => `${name} として続行`,
    deny: '拒否',
    invalid: {
      title: 'このサインインは続行できません',
      body: 'リクエストが不完全です。前のページに戻って、もう一度始めてください。',
    },
  },
  ar: {
    title: 'تسجيل الدخول إلى Acme Sandbox',
    body: 'أداة للاختبار. الأشخاص والتذاكر فيها خياليون، ولا يغادر أي شيء هذه الخدمة.',
    access: 'يطلب Linchpin قراءة التذاكر وإنشاءها.',
    as: (name) => `المتابعة باسم ${name}`,
    deny: 'رفض',
    invalid: {
      title: 'لا يمكن متابعة تسجيل الدخول هذا',
      body: 'الطلب غير مكتمل. ارجع وابدأ من جديد.',
    },
  },
}
