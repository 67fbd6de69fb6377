// Tokens whose prefix identifies the vendor; to add one, add a row. A form is literal text, and in braces an alphabet
// (alphabets.ts) and how many of its characters follow. The source describes the form: a vendor's page, or a rule of a
// public scanner (gitleaks = github.com/gitleaks/gitleaks; trufflehog = github.com/trufflesecurity/trufflehog; both
// with the rule's name).

export type VendorToken = readonly [label: string, forms: readonly string[], source: string];

/** Tokens that callers of this gateway use; its own vendors first. */
const models: readonly VendorToken[] = [
  [
    'BEDROCK_KEY',
    ['ABSK{base64:100-272}'],
    'docs.aws.amazon.com/bedrock "API keys"; gitleaks aws-amazon-bedrock-api-key-long-lived',
  ],
  [
    'AZURE_KEY',
    ['{alnum:52}JQQJ9{upper:1}{alnum:1}{upper:1}{alnum:24}'],
    'github.com/microsoft/security-utilities SEC101/200: Azure OpenAI and other AI services',
  ],
  ['AZURE_KEY', ['{alnum:42}AzSe{upper:1}{alnum:5}'], 'github.com/microsoft/security-utilities: Azure AI Search'],
  [
    'AZURE_KEY',
    [
      '{base64raw:76}+ASt{base64raw:6}==',
      '{base64raw:76}ACDb{base64raw:6}==',
      '{base64raw:33}+ASb{base64raw:6}=',
      '{base64raw:33}+AEh{base64raw:6}=',
      '{base64raw:42}+ACR{alnum:6}',
      '{base64url:44}AzFu{base64url:6}==',
    ],
    'github.com/microsoft/security-utilities: Storage, Cosmos DB, Service Bus, Event Hubs, Container Registry, Functions',
  ],
  ['OPENROUTER_KEY', ['sk-or-v1-{hex:64}'], 'trufflehog openrouter'],
  ['GROQ_KEY', ['gsk_{alnum:52}'], 'trufflehog groq'],
  ['XAI_KEY', ['xai-{word:80}'], 'trufflehog xai'],
  ['PERPLEXITY_KEY', ['pplx-{alnum:48}'], 'gitleaks perplexity-api-key'],
  ['NVIDIA_KEY', ['nvapi-{base64url:60-70}'], 'docs.api.nvidia.com'],
  ['REPLICATE_TOKEN', ['r8_{base64url:37}'], 'trufflehog replicate'],
  ['FIREWORKS_KEY', ['fw_{alnum:22-24}'], 'docs.fireworks.ai "API keys"'],
  ['TOGETHER_KEY', ['tgp_v1_{base64url:43}'], 'docs.together.ai "API keys"'],
  ['CEREBRAS_KEY', ['csk-{lower:48}'], 'inference-docs.cerebras.ai'],
  ['JINA_KEY', ['jina_{alnum:58-65}'], 'jina.ai "API keys"'],
  ['VOYAGE_KEY', ['pa-{base64url:43}'], 'docs.voyageai.com "API key"'],
  ['ELEVENLABS_KEY', ['sk_{hex:48}'], 'trufflehog elevenlabs v2'],
  ['TAVILY_KEY', ['tvly-{alnum:32}', 'tvly-dev-{alnum:32}', 'tvly-prod-{alnum:32}'], 'docs.tavily.com'],
  ['FIRECRAWL_KEY', ['fc-{hex:32}'], 'docs.firecrawl.dev'],
  ['APIFY_TOKEN', ['apify_api_{alnum:36}'], 'trufflehog apify'],
  ['LANGFUSE_KEY', ['sk-lf-{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}'], 'trufflehog langfuse'],
  [
    'LANGSMITH_KEY',
    ['lsv2_pt_{hex:32}_{hex:10}', 'lsv2_sk_{hex:32}_{hex:10}', 'ls__{alnum:32}'],
    'trufflehog langsmith',
  ],
  ['PINECONE_KEY', ['pcsk_{alnum:5-6}_{alnum:60-66}'], 'trufflehog pinecone'],
  ['POSTHOG_KEY', ['phx_{word:43-48}'], 'trufflehog posthog'],
  ['HUGGING_FACE_TOKEN', ['hf_{alnum:34}', 'api_org_{alnum:34}'], 'huggingface.co/docs/hub/security-tokens'],
];

const clouds: readonly VendorToken[] = [
  ['ALIBABA_ACCESS_KEY', ['LTAI{alnum:17-24}'], 'gitleaks alibaba-access-key-id'],
  ['TENCENT_SECRET_ID', ['AKID{alnum:32}'], 'cloud.tencent.com "Access keys"'],
  ['YANDEX_KEY', ['AQVN{base64url:35-38}'], 'gitleaks yandex-api-key'],
  ['DATABRICKS_TOKEN', ['dapi{hex:32}-{digit:1}', 'dapi{hex:32}'], 'gitleaks databricks-api-token'],
  ['DIGITALOCEAN_TOKEN', ['dop_v1_{hex:64}', 'doo_v1_{hex:64}', 'dor_v1_{hex:64}'], 'gitleaks digitalocean-*'],
  ['HEROKU_KEY', ['HRKU-{base64url:60-64}'], 'gitleaks heroku-api-key-v2'],
  ['SCALINGO_TOKEN', ['tk-us-{base64url:48}'], 'gitleaks scalingo-api-token'],
  ['FLY_TOKEN', ['fo1_{base64url:43}'], 'gitleaks flyio-access-token'],
  ['NETLIFY_TOKEN', ['nfp_{word:36}'], 'trufflehog netlify v2'],
  ['RENDER_KEY', ['rnd_{alnum:32}'], 'render.com/docs/api'],
  ['NEON_KEY', ['napi_{lower:64}'], 'neon.com/docs "API keys"'],
  [
    'SUPABASE_KEY',
    ['sbp_{lower:40}', 'sb_secret_{base64url:30-40}'],
    'trufflehog supabasetoken; supabase.com/docs "API keys"',
  ],
  [
    'PLANETSCALE_KEY',
    ['pscale_tkn_{base64pad:32-64}', 'pscale_oauth_{base64pad:32-64}', 'pscale_pw_{base64pad:32-64}'],
    'gitleaks planetscale-*',
  ],
  ['CLICKHOUSE_KEY', ['4b1d{alnum:38}'], 'gitleaks clickhouse-cloud-api-secret-key'],
  [
    'CLOUDFLARE_KEY',
    ['v1.0-{hex:24}-{hex:146}', 'cfut_{alnum:40}{hex:8}', 'cfat_{alnum:40}{hex:8}', 'cfk_{alnum:40}{hex:8}'],
    'gitleaks cloudflare-origin-ca-key; trufflehog cloudflareapitoken v2, cloudflareglobalapikey v2',
  ],
  ['DENO_TOKEN', ['ddp_{alnum:36}', 'ddw_{alnum:36}'], 'trufflehog denodeploy'],
  [
    'TAILSCALE_KEY',
    [
      'tskey-auth-{alnum:8-20}-{alnum:20-40}',
      'tskey-api-{alnum:8-20}-{alnum:20-40}',
      'tskey-client-{alnum:8-20}-{alnum:20-40}',
      'tskey-scim-{alnum:8-20}-{alnum:20-40}',
      'tskey-webhook-{alnum:8-20}-{alnum:20-40}',
    ],
    'tailscale.com/kb "Key prefixes"',
  ],
  ['OPENSHIFT_TOKEN', ['sha256~{base64url:43}'], 'gitleaks openshift-user-token'],
];

const secretStores: readonly VendorToken[] = [
  [
    'VAULT_TOKEN',
    ['hvs.{base64url:24-120}', 'hvb.{base64url:90-300}', 'hvr.{base64url:90-300}'],
    'developer.hashicorp.com/vault/docs/concepts/tokens',
  ],
  ['TERRAFORM_TOKEN', ['{alnum:14}.atlasv1.{base64pad:60-70}'], 'gitleaks hashicorp-tf-api-token'],
  [
    'DOPPLER_TOKEN',
    [
      'dp.pt.{alnum:40-44}',
      'dp.sa.{alnum:40-44}',
      'dp.ct.{alnum:40-44}',
      'dp.said.{alnum:40-44}',
      'dp.scim.{alnum:40-44}',
      'dp.audit.{alnum:40-44}',
      'dp.st.{alnum:40-44}',
      'dp.st.{base64url:2-35}.{alnum:40-44}',
    ],
    'docs.doppler.com "Token formats"',
  ],
  [
    'ONEPASSWORD_KEY',
    [
      'A3-{upper:6}-{upper:11}-{upper:5}-{upper:5}-{upper:5}',
      'A3-{upper:6}-{upper:6}-{upper:5}-{upper:5}-{upper:5}-{upper:5}',
    ],
    'gitleaks 1password-secret-key',
  ],
  ['AGE_KEY', ['AGE-SECRET-KEY-1{bech32:58}'], 'github.com/C2SP/C2SP age.md'],
  ['PULUMI_TOKEN', ['pul-{lower:40}'], 'gitleaks pulumi-api-token; trufflehog pulumi'],
  ['PREFECT_KEY', ['pnu_{alnum:36}'], 'gitleaks prefect-api-token'],
  ['INFRACOST_KEY', ['ico-{alnum:32}'], 'gitleaks infracost-api-token'],
];

const code: readonly VendorToken[] = [
  ['DOCKER_TOKEN', ['dckr_pat_{base64url:27}', 'dckr_oat_{base64url:32}'], 'trufflehog dockerhub v2'],
  ['RUBYGEMS_KEY', ['rubygems_{hex:48}'], 'guides.rubygems.org "API key scopes"'],
  ['CRATES_TOKEN', ['cio{alnum:32}'], 'crates.io "API tokens"'],
  ['NUGET_KEY', ['oy2{lower:43}'], 'learn.microsoft.com/nuget "API keys"'],
  ['CLOJARS_TOKEN', ['CLOJARS_{lower:60}'], 'gitleaks clojars-api-token'],
  [
    'ARTIFACTORY_KEY',
    ['AKCp{alnum:55-80}', 'AKC{alnum:50-80}', 'cmVmd{alnum:59}'],
    'gitleaks artifactory-*; detect-secrets artifactory',
  ],
  ['ARTIFACTORY_PASSWORD', ['AP6{alnum:30-80}', 'AP5{alnum:30-80}', 'APA{alnum:30-80}'], 'detect-secrets artifactory'],
  [
    'ATLASSIAN_TOKEN',
    ['ATATT3{base64pad:60-250}', 'ATCTT3{base64pad:60-250}', 'ATBB{alnum:28-40}'],
    'gitleaks atlassian-api-token; trufflehog atlassian v2; support.atlassian.com "App passwords"',
  ],
  ['BITBUCKET_TOKEN', ['BBDC-{base64:40-50}'], 'trufflehog bitbucketdatacenter'],
  ['BUILDKITE_TOKEN', ['bkua_{lower:40}'], 'trufflehog buildkite v2'],
  ['CIRCLECI_TOKEN', ['CCIPAT_{alnum:22}_{HEX:40}'], 'trufflehog circleci v2'],
  [
    'GITLAB_TOKEN',
    ['GR1348941{base64url:20-50}', 'glffct-{base64url:20-50}', '_gitlab_session={lower:32}'],
    'docs.gitlab.com/security/tokens',
  ],
  [
    'HARNESS_KEY',
    ['pat.{base64url:22}.{alnum:24}.{alnum:20}', 'sat.{base64url:22}.{alnum:24}.{alnum:20}'],
    'gitleaks harness-api-key',
  ],
  ['OCTOPUS_KEY', ['API-{upper:26}'], 'gitleaks octopus-deploy-api-key'],
  [
    'SONAR_TOKEN',
    ['sqp_{hex:40}', 'squ_{hex:40}', 'sqa_{hex:40}', 'sqco_{alnum:59}'],
    'docs.sonarsource.com "Tokens"; trufflehog sonarcloud v2',
  ],
  [
    'SOURCEGRAPH_TOKEN',
    ['sgp_{HEX:40}', 'sgp_{HEX:16}_{HEX:40}', 'sgp_local_{HEX:40}', 'slk_{hex:64}'],
    'gitleaks sourcegraph-access-token',
  ],
  ['LINEAR_KEY', ['lin_api_{alnum:40}', 'lin_oauth_{hex:64}'], 'gitleaks linear-api-key'],
  ['POSTMAN_KEY', ['PMAK-{HEX:24}-{HEX:34}'], 'gitleaks postman-api-token'],
  ['FIGMA_TOKEN', ['figd_{base64url:40}', 'figp_{base64pad:40-54}'], 'trufflehog figmapersonalaccesstoken'],
  ['README_KEY', ['rdme_{lower:70}'], 'gitleaks readme-api-token'],
  ['CONTENTFUL_TOKEN', ['CFPAT-{base64url:43}'], 'trufflehog contentfulpersonalaccesstoken'],
  ['NOTION_TOKEN', ['ntn_{digit:11}{alnum:35}', 'secret_{alnum:43}'], 'gitleaks notion-api-token; trufflehog notion'],
  ['AIRTABLE_TOKEN', ['pat{alnum:14}.{hex:64}'], 'gitleaks airtable-personnal-access-token'],
];

const watching: readonly VendorToken[] = [
  [
    'GRAFANA_TOKEN',
    ['glsa_{alnum:32}_{HEX:8}', 'glc_{base64:32-360}', 'eyJrIjoi{base64:70-360}'],
    'gitleaks grafana-*',
  ],
  [
    'NEW_RELIC_KEY',
    [
      'NRAK-{upper:27}',
      'NRII-{base64url:25-32}',
      'NRIQ-{base64url:25-32}',
      'NRJS-{hex:19}',
      'NRRA-{hex:42}',
      '{hex:32}FFFFNRAL',
    ],
    'docs.newrelic.com "API keys"; trufflehog newrelic*',
  ],
  ['ROOTLY_KEY', ['rootly_{hex:64}'], 'trufflehog rootly'],
  [
    'LAUNCHDARKLY_KEY',
    ['sdk-{hex:8}-{hex:4}-4{hex:3}-{hex:4}-{hex:12}', 'api-{hex:8}-{hex:4}-4{hex:3}-{hex:4}-{hex:12}'],
    'trufflehog launchdarkly',
  ],
  ['SENTRY_TOKEN', ['sntryu_{hex:64}', 'sntrys_{base64:60-300}_{base64:43}'], 'gitleaks sentry-*'],
  [
    'DYNATRACE_TOKEN',
    ['dt0c01.{alnum:24}.{alnum:64}', 'dt0s01.{alnum:24}.{alnum:64}', 'dt0s16.{alnum:24}.{alnum:64}'],
    'docs.dynatrace.com "Token format"',
  ],
];

const business: readonly VendorToken[] = [
  ['SHOPIFY_TOKEN', ['shpat_{HEX:32}', 'shpca_{HEX:32}', 'shppa_{HEX:32}', 'shpss_{HEX:32}'], 'gitleaks shopify-*'],
  [
    'SQUARE_TOKEN',
    ['sq0atp-{base64url:22-60}', 'sq0csp-{base64url:43}', 'EAAA{base64url:56-60}'],
    'gitleaks square-access-token; detect-secrets square_oauth',
  ],
  [
    'BRAINTREE_TOKEN',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the vendor's own dollar signs
    ['access_token$production${lower:16}${hex:32}', 'access_token$sandbox${lower:16}${hex:32}'],
    'developer.paypal.com/braintree "Access tokens"',
  ],
  [
    'FLUTTERWAVE_KEY',
    ['FLWSECK_TEST-{lower:12}', 'FLWSECK_TEST-{lower:32}-X', 'FLWSECK-{lower:32}-X'],
    'gitleaks flutterwave-*; trufflehog flutterwave',
  ],
  ['EASYPOST_KEY', ['EZAK{alnum:54}', 'EZTK{alnum:54}'], 'gitleaks easypost-*'],
  ['SHIPPO_TOKEN', ['shippo_live_{HEX:40}', 'shippo_test_{HEX:40}'], 'gitleaks shippo-api-token'],
  ['DUFFEL_TOKEN', ['duffel_live_{base64pad:43}', 'duffel_test_{base64pad:43}'], 'gitleaks duffel-api-token'],
  [
    'HUBSPOT_TOKEN',
    [
      'pat-na1-{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}',
      'pat-na2-{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}',
      'pat-eu1-{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}',
    ],
    'trufflehog hubspot_apikey v2',
  ],
  ['ADOBE_SECRET', ['p8e-{lower:32}'], 'gitleaks adobe-client-secret'],
  ['FRAMEIO_TOKEN', ['fio-u-{base64pad:64}'], 'gitleaks frameio-api-token'],
  ['SETTLEMINT_TOKEN', ['sm_aat_{alnum:16}', 'sm_pat_{alnum:16}', 'sm_sat_{alnum:16}'], 'gitleaks settlemint-*'],
  ['INTRA42_SECRET', ['s-s4t2ud-{hex:64}', 's-s4t2af-{hex:64}'], 'gitleaks intra42-client-secret'],
  ['MAXMIND_KEY', ['{word:36}_mmk'], 'gitleaks maxmind-license-key'],
  [
    'AUTHRESS_KEY',
    [
      'sc_{lower:5-30}.{lower:4-6}.acc_{base64url:10-32}.{base64pad:30-120}',
      'ext_{lower:5-30}.{lower:4-6}.acc_{base64url:10-32}.{base64pad:30-120}',
      'sc_{lower:5-30}.{lower:4-6}.acc-{base64url:10-32}.{base64pad:30-120}',
      'ext_{lower:5-30}.{lower:4-6}.acc-{base64url:10-32}.{base64pad:30-120}',
    ],
    'gitleaks authress-service-client-access-key',
  ],
  ['TYPEFORM_TOKEN', ['tfp_{base64pad:40-59}'], 'gitleaks typeform-api-token; trufflehog typeform v2'],
  ['ADAFRUIT_KEY', ['aio_{alnum:28}'], 'trufflehog adafruitio'],
  ['KLAVIYO_KEY', ['pk_{hex:34}'], 'trufflehog klaviyo'],
  ['LOB_KEY', ['live_{hex:35}', 'test_{hex:35}'], 'trufflehog lob'],
  ['PAGARME_KEY', ['ak_live_{alnum:30}'], 'trufflehog pagarme'],
  ['RAMP_SECRET', ['ramp_sec_{alnum:48}'], 'trufflehog ramp'],
  ['ZOHO_TOKEN', ['1000.{hex:32}.{hex:32}'], 'trufflehog zohocrm'],
];

const messages: readonly VendorToken[] = [
  ['VOICEFLOW_KEY', ['VF.DM.{HEX:24}.{alnum:16}', 'VF.WS.{HEX:24}.{alnum:16}'], 'trufflehog voiceflow'],
  ['RESEND_KEY', ['re_{alnum:8}_{alnum:24}'], 'resend.com/docs "API keys"'],
  ['MAILCHIMP_KEY', ['{hex:32}-us{digit:1-2}'], 'gitleaks mailchimp-api-key; detect-secrets mailchimp'],
  ['MAILGUN_KEY', ['key-{hex:32}'], 'gitleaks mailgun-private-api-token'],
  ['BREVO_KEY', ['xkeysib-{hex:64}-{alnum:16}'], 'gitleaks sendinblue-api-token'],
  ['FACEBOOK_TOKEN', ['EAAC{alnum:100-300}', 'EAAM{alnum:100-300}'], 'gitleaks facebook-page-access-token'],
  [
    'DISCORD_WEBHOOK',
    [
      'discord.com/api/webhooks/{digit:17-20}/{base64url:60-72}',
      'discordapp.com/api/webhooks/{digit:17-20}/{base64url:60-72}',
    ],
    'docs.discord.com "Webhook resource"; trufflehog discordwebhook',
  ],
  [
    'DISCORD_TOKEN',
    [
      'MT{base64url:22-26}.{base64url:6}.{base64url:27-38}',
      'Mj{base64url:22-26}.{base64url:6}.{base64url:27-38}',
      'Nz{base64url:22-26}.{base64url:6}.{base64url:27-38}',
      'OD{base64url:22-26}.{base64url:6}.{base64url:27-38}',
      'OT{base64url:22-26}.{base64url:6}.{base64url:27-38}',
    ],
    'detect-secrets discord',
  ],
  [
    'TEAMS_WEBHOOK',
    [
      'webhook.office.com/webhookb2/{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}@{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}/IncomingWebhook/{lower:32}/{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}',
    ],
    'gitleaks microsoft-teams-webhook',
  ],
  [
    'SOFTLAYER_KEY',
    ['api.softlayer.com/soap/v3/{lower:64}', 'api.softlayer.com/soap/v3.1/{lower:64}'],
    'detect-secrets softlayer',
  ],
];

export const vendorTokens: readonly VendorToken[] = [
  ...models,
  ...clouds,
  ...secretStores,
  ...code,
  ...watching,
  ...business,
  ...messages,
];
