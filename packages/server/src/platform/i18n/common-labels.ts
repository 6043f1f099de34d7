import { LANGUAGES, type Language } from './language.ts'

/**
 * Translates a label that many specs use, such as "API key"; upper and lower case are alike. A host in parentheses stays:
 * "Europe (eu.example.com)". Undefined if the label is not a common one.
 */
export function translateCommonLabel(language: Language, label: string): string | undefined {
  const [, name = label, host = ''] = /^(.+?)( \([\w.-]+\))$/.exec(label) ?? []
  const translations = LABELS.get(name.toLowerCase())
  const translation = language === 'en' ? EN.get(name.toLowerCase()) : translations?.[language]
  return translation === undefined ? undefined : translation + host
}

/** Every common label in lower case with its translations. */
export function listCommonLabels(): ReadonlyMap<string, Readonly<Record<string, string>>> {
  return LABELS
}

/** Labels whose English our own messages spell differently. */
const EN: ReadonlyMap<string, string> = new Map([
  ['client credentials', 'a client ID and secret'],
  ['e-mail', 'Email'],
])

/** One row per label, in the order of LANGUAGES. */
// biome-ignore format: a table
const ROWS: readonly (readonly string[])[] = [
  ['access token', 'Zugriffstoken', 'Jeton d’accès', 'Token de acceso', 'Token di accesso', 'Token de acesso', 'アクセストークン', 'رمز الوصول'],
  ['account id', 'Konto-ID', 'Identifiant du compte', 'ID de la cuenta', 'ID account', 'ID da conta', 'アカウントID', 'معرّف الحساب'],
  ['account sid', 'Konto-SID', 'SID du compte', 'SID de la cuenta', 'SID account', 'SID da conta', 'アカウントSID', 'معرّف SID للحساب'],
  ['address', 'Adresse', 'Adresse', 'Dirección', 'Indirizzo', 'Endereço', 'アドレス', 'العنوان'],
  ['admin api access token', 'Zugriffstoken der Admin-API', 'Jeton d’accès à l’API Admin', 'Token de acceso a la API Admin', 'Token di accesso per l’API Admin', 'Token de acesso à API Admin', 'Admin APIアクセストークン', 'رمز الوصول إلى Admin API'],
  ['api key', 'API-Schlüssel', 'Clé d’API', 'Clave de API', 'Chiave API', 'Chave de API', 'APIキー', 'مفتاح API'],
  ['api secret', 'API-Secret', 'Secret d’API', 'Secreto de API', 'Segreto API', 'Segredo de API', 'APIシークレット', 'سر API'],
  ['api token', 'API-Token', 'Jeton d’API', 'Token de API', 'Token API', 'Token de API', 'APIトークン', 'رمز API'],
  ['application key', 'Anwendungsschlüssel', 'Clé d’application', 'Clave de aplicación', 'Chiave dell’applicazione', 'Chave do aplicativo', 'アプリケーションキー', 'مفتاح التطبيق'],
  ['auth token', 'Auth-Token', 'Jeton Auth', 'Token Auth', 'Token Auth', 'Token Auth', 'Authトークン', 'رمز Auth'],
  ['bot token', 'Bot-Token', 'Jeton du bot', 'Token del bot', 'Token del bot', 'Token do bot', 'ボットトークン', 'رمز البوت'],
  ['client credentials', 'Client-ID und Client-Secret', 'Identifiant et secret client', 'ID y secreto de cliente', 'ID e segreto client', 'ID e segredo do cliente', 'クライアントIDとシークレット', 'معرّف العميل وسره'],
  ['client id', 'Client-ID', 'Identifiant client', 'ID de cliente', 'ID client', 'ID do cliente', 'クライアントID', 'معرّف العميل'],
  ['client identifier', 'Client-ID', 'Identifiant client', 'ID de cliente', 'ID client', 'ID do cliente', 'クライアントID', 'معرّف العميل'],
  ['client secret', 'Client-Secret', 'Secret client', 'Secreto de cliente', 'Segreto client', 'Segredo do cliente', 'クライアントシークレット', 'سر العميل'],
  ['company domain', 'Firmendomain', 'Domaine de l’entreprise', 'Dominio de la empresa', 'Dominio aziendale', 'Domínio da empresa', '会社のドメイン', 'نطاق الشركة'],
  ['consumer key', 'Consumer Key', 'Clé client', 'Clave de cliente', 'Chiave utente', 'Chave do consumidor', 'コンシューマーキー', 'مفتاح المستهلك'],
  ['consumer secret', 'Consumer Secret', 'Secret client', 'Clave secreta de cliente', 'Segreto utente', 'Segredo do consumidor', 'コンシューマーシークレット', 'سر المستهلك'],
  ['domain', 'Domain', 'Domaine', 'Dominio', 'Dominio', 'Domínio', 'ドメイン', 'النطاق'],
  ['e-mail', 'E-Mail-Adresse', 'Adresse e-mail', 'Correo electrónico', 'Email', 'E-mail', 'メールアドレス', 'البريد الإلكتروني'],
  ['email', 'E-Mail-Adresse', 'Adresse e-mail', 'Correo electrónico', 'Email', 'E-mail', 'メールアドレス', 'البريد الإلكتروني'],
  ['email address', 'E-Mail-Adresse', 'Adresse e-mail', 'Correo electrónico', 'Indirizzo email', 'Endereço de e-mail', 'メールアドレス', 'البريد الإلكتروني'],
  ['enterprise id', 'Enterprise-ID', 'Identifiant de l’entreprise', 'ID de la empresa', 'ID azienda', 'ID da empresa', 'Enterprise ID', 'معرّف المؤسسة'],
  ['environment', 'Umgebung', 'Environnement', 'Entorno', 'Ambiente', 'Ambiente', '環境', 'البيئة'],
  ['host', 'Host', 'Hôte', 'Host', 'Host', 'Host', 'ホスト', 'المضيف'],
  ['key secret', 'Secret des Schlüssels', 'Secret de la clé', 'Secreto de la clave', 'Segreto della chiave', 'Segredo da chave', 'キーのシークレット', 'سر المفتاح'],
  ['key sid', 'SID des Schlüssels', 'SID de la clé', 'SID de la clave', 'SID della chiave', 'SID da chave', 'キーのSID', 'معرّف SID للمفتاح'],
  ['name', 'Name', 'Nom', 'Nombre', 'Nome', 'Nome', '名前', 'الاسم'],
  ['organization', 'Organisation', 'Organisation', 'Organización', 'Organizzazione', 'Organização', '組織', 'المؤسسة'],
  ['password', 'Passwort', 'Mot de passe', 'Contraseña', 'Password', 'Senha', 'パスワード', 'كلمة المرور'],
  ['personal access token', 'Persönliches Zugriffstoken', 'Jeton d’accès personnel', 'Token de acceso personal', 'Token di accesso personale', 'Token de acesso pessoal', '個人用アクセストークン', 'رمز الوصول الشخصي'],
  ['personal api token', 'Persönliches API-Token', 'Jeton d’API personnel', 'Token de API personal', 'Token API personale', 'Token de API pessoal', '個人用APIトークン', 'رمز API الشخصي'],
  ['personal token', 'Persönliches Token', 'Jeton personnel', 'Token personal', 'Token personale', 'Token pessoal', '個人用トークン', 'الرمز الشخصي'],
  ['port', 'Port', 'Port', 'Puerto', 'Porta', 'Porta', 'ポート', 'المنفذ'],
  ['project id', 'Projekt-ID', 'Identifiant du projet', 'ID del proyecto', 'ID progetto', 'ID do projeto', 'プロジェクトID', 'معرّف المشروع'],
  ['public api token', 'Token der Public API', 'Jeton de l’API publique', 'Token de la API pública', 'Token dell’API pubblica', 'Token da API pública', 'パブリックAPIトークン', 'رمز API العامة'],
  ['region', 'Region', 'Région', 'Región', 'Regione', 'Região', 'リージョン', 'المنطقة'],
  ['scopes', 'Berechtigungen', 'Autorisations', 'Permisos', 'Autorizzazioni', 'Permissões', '権限', 'الأذونات'],
  ['secret', 'Secret', 'Secret', 'Secreto', 'Segreto', 'Segredo', 'シークレット', 'السر'],
  ['secret key', 'Geheimer Schlüssel', 'Clé secrète', 'Clave secreta', 'Chiave segreta', 'Chave secreta', 'シークレットキー', 'المفتاح السري'],
  ['secret or restricted key', 'Geheimer oder eingeschränkter Schlüssel', 'Clé secrète ou limitée', 'Clave secreta o restringida', 'Chiave segreta o con limitazioni', 'Chave secreta ou restrita', 'シークレットキーまたは制限付きキー', 'مفتاح سري أو مقيّد'],
  ['server', 'Server', 'Serveur', 'Servidor', 'Server', 'Servidor', 'サーバー', 'الخادم'],
  ['server api token', 'API-Token des Servers', 'Jeton d’API du serveur', 'Token de API del servidor', 'Token API del server', 'Token de API do servidor', 'サーバーAPIトークン', 'رمز API للخادم'],
  ['server to server', 'Server-zu-Server', 'Serveur à serveur', 'Servidor a servidor', 'Da server a server', 'Servidor a servidor', 'サーバー間', 'خادم إلى خادم'],
  ['service account', 'Dienstkonto', 'Compte de service', 'Cuenta de servicio', 'Account di servizio', 'Conta de serviço', 'サービスアカウント', 'حساب الخدمة'],
  ['service key', 'Dienstschlüssel', 'Clé de service', 'Clave de servicio', 'Chiave di servizio', 'Chave de serviço', 'サービスキー', 'مفتاح الخدمة'],
  ['service region', 'Serviceregion', 'Région du service', 'Región del servicio', 'Regione del servizio', 'Região do serviço', 'サービスリージョン', 'منطقة الخدمة'],
  ['site', 'Site', 'Site', 'Sitio', 'Sito', 'Site', 'サイト', 'الموقع'],
  ['store', 'Shop', 'Boutique', 'Tienda', 'Negozio', 'Loja', 'ストア', 'المتجر'],
  ['store address', 'Adresse des Shops', 'Adresse de la boutique', 'Dirección de la tienda', 'Indirizzo del negozio', 'Endereço da loja', 'ストアのアドレス', 'عنوان المتجر'],
  ['subdomain', 'Subdomain', 'Sous-domaine', 'Subdominio', 'Sottodominio', 'Subdomínio', 'サブドメイン', 'النطاق الفرعي'],
  ['tenant', 'Mandant', 'Tenant', 'Inquilino', 'Tenant', 'Locatário', 'テナント', 'المستأجر'],
  ['token', 'Token', 'Jeton', 'Token', 'Token', 'Token', 'トークン', 'الرمز'],
  ['url', 'URL', 'URL', 'URL', 'URL', 'URL', 'URL', 'عنوان URL'],
  ['user id', 'Benutzer-ID', 'Identifiant de l’utilisateur', 'ID de usuario', 'ID utente', 'ID do usuário', 'ユーザーID', 'معرّف المستخدم'],
  ['user name', 'Benutzername', 'Nom d’utilisateur', 'Nombre de usuario', 'Nome utente', 'Nome de usuário', 'ユーザー名', 'اسم المستخدم'],
  ['username', 'Benutzername', 'Nom d’utilisateur', 'Nombre de usuario', 'Nome utente', 'Nome de usuário', 'ユーザー名', 'اسم المستخدم'],
  ['australia', 'Australien', 'Australie', 'Australia', 'Australia', 'Austrália', 'オーストラリア', 'أستراليا'],
  ['canada', 'Kanada', 'Canada', 'Canadá', 'Canada', 'Canadá', 'カナダ', 'كندا'],
  ['china', 'China', 'Chine', 'China', 'Cina', 'China', '中国', 'الصين'],
  ['europe', 'Europa', 'Europe', 'Europa', 'Europa', 'Europa', 'ヨーロッパ', 'أوروبا'],
  ['india', 'Indien', 'Inde', 'India', 'India', 'Índia', 'インド', 'الهند'],
  ['japan', 'Japan', 'Japon', 'Japón', 'Giappone', 'Japão', '日本', 'اليابان'],
  ['saudi arabia', 'Saudi-Arabien', 'Arabie saoudite', 'Arabia Saudí', 'Arabia Saudita', 'Arábia Saudita', 'サウジアラビア', 'السعودية'],
  ['united arab emirates', 'Vereinigte Arabische Emirate', 'Émirats arabes unis', 'Emiratos Árabes Unidos', 'Emirati Arabi Uniti', 'Emirados Árabes Unidos', 'アラブ首長国連邦', 'الإمارات العربية المتحدة'],
  ['united kingdom', 'Vereinigtes Königreich', 'Royaume-Uni', 'Reino Unido', 'Regno Unito', 'Reino Unido', 'イギリス', 'المملكة المتحدة'],
  ['united states', 'Vereinigte Staaten', 'États-Unis', 'Estados Unidos', 'Stati Uniti', 'Estados Unidos', 'アメリカ合衆国', 'الولايات المتحدة'],
  ['global', 'Weltweit', 'Mondial', 'Global', 'Globale', 'Global', 'グローバル', 'عالمي'],
  ['demo', 'Demo', 'Démo', 'Demo', 'Demo', 'Demonstração', 'デモ', 'تجريبي'],
  ['live', 'Live', 'Production', 'Producción', 'Produzione', 'Produção', '本番', 'فعلي'],
  ['production', 'Produktion', 'Production', 'Producción', 'Produzione', 'Produção', '本番', 'الإنتاج'],
  ['sandbox', 'Sandbox', 'Bac à sable', 'Sandbox', 'Sandbox', 'Sandbox', 'サンドボックス', 'بيئة الاختبار'],
  ['standard', 'Standard', 'Standard', 'Estándar', 'Standard', 'Padrão', '標準', 'قياسي'],
]

const LABELS: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map(
  ROWS.map(([label = '', ...translations]) => [
    label,
    Object.fromEntries(
      LANGUAGES.slice(1).map((language, index) => [language, translations[index] ?? '']),
    ),
  ]),
)
