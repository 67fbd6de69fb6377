// Phrases in disguise, and texts that only seem to contain them. Expected matches are between ⟦ and ⟧.

export interface PhrasesCase {
  readonly what: string;
  readonly phrases: readonly string[];
  readonly withinWords: boolean;
  readonly text: string;
  /** Start and end of each expected match. */
  readonly spans: readonly (readonly [number, number])[];
}

/** A group of texts by phrases, with the behaviour that they show. */
type Group = readonly [what: string, phrases: readonly string[], texts: readonly string[]];

const bad = ['bad word'];
const kill = ['kill'];

const wholeWords: readonly Group[] = [
  ['unchanged', bad, ['⟦bad word⟧', 'a ⟦bad word⟧!', '"⟦bad word⟧"', '(⟦bad word⟧)', '⟦bad word⟧ ⟦bad word⟧']],
  ['letter case', bad, ['⟦BAD WORD⟧', '⟦Bad Word⟧', 'so ⟦bAd WoRd⟧.']],
  ['letter case of the phrase', ['Bad WORD'], ['⟦bad word⟧', '⟦BAD word⟧']],
  [
    'letter case beyond ASCII',
    ['ärger', 'привет', 'γειά', 'ոստիկան'],
    ['⟦ÄRGER⟧', '⟦Привет⟧ ⟦ПРИВЕТ⟧', '⟦ΓΕΙΆ⟧ ⟦γειά⟧', '⟦ՈՍՏԻԿԱՆ⟧'],
  ],
  ['sigma at the end of a word', ['λόγος'], ['⟦ΛΌΓΟΣ⟧', '⟦λόγος⟧', '⟦λόγοσ⟧']],
  ['Turkish i', ['istanbul', 'kılıç'], ['⟦İSTANBUL⟧', '⟦ISTANBUL⟧', '⟦ıstanbul⟧', '⟦KILIÇ⟧', '⟦kiliç⟧', '⟦kılıc⟧']],
  ['German ß', ['straße', 'Masse'], ['⟦STRASSE⟧', '⟦strasse⟧', '⟦STRAẞE⟧', '⟦Maße⟧', 'Mase']],
  ['ligatures', ['office', 'Œuvre', 'encyclopaedia'], ['o⁠x', '⟦oﬃce⟧', '⟦oeuvre⟧', '⟦ENCYCLOPÆDIA⟧', 'ofﬁ']],
  ['full width', bad, ['⟦ｂａｄ ｗｏｒｄ⟧', '⟦ＢＡＤ　ＷＯＲＤ⟧', 'Ａ ⟦bＡd wOrd⟧．']],
  ['half width', ['バカ', 'ガギ'], ['⟦ﾊﾞｶ⟧', '⟦ｶﾞｷﾞ⟧', 'ｶｷ']],
  [
    'letters in other shapes',
    kill,
    [
      '⟦𝐤𝐢𝐥𝐥⟧',
      '⟦𝓀𝒾𝓁𝓁⟧',
      '⟦𝔨𝔦𝔩𝔩⟧',
      '⟦𝚔𝚒𝚕𝚕⟧',
      '⟦ⓚⓘⓛⓛ⟧',
      '⟦🅚🅘🅛🅛⟧',
      '⟦🄺🄸🄻🄻⟧',
      '⟦🅺🅸🅻🅻⟧',
      '⟦ᵏⁱˡˡ⟧',
      '⟦ₖᵢₗₗ⟧',
      '⟦Kill⟧',
      '⒦⒤⒧⒧',
    ],
  ],
  [
    'accents',
    ['uber', 'naïve', 'resume'],
    ['⟦über⟧', '⟦u\u0308ber⟧', '⟦naive⟧', '⟦NAÏVE⟧', '⟦nai\u0308ve⟧', '⟦résumé⟧', '⟦re\u0301sume\u0301⟧ ', '⟦r̷e̴s̵u̶m̸e̡⟧'],
  ],
  [
    'accents without end',
    kill,
    [`⟦k${'\u0300\u0316'.repeat(50)}ill⟧`, `⟦kill${'\u0336'.repeat(32)}⟧${'\u0336'.repeat(68)} x`, '\u0301⟦kill⟧'],
  ],
  [
    'zero-width characters',
    kill,
    [
      '⟦k\u200bill⟧',
      '⟦k\u200ci\u200dl\u2060l⟧',
      '\u200b⟦kill⟧',
      '⟦kill\u200b⟧ me',
      '⟦ki\ufeffll⟧',
      '⟦k\u034fill⟧',
      '⟦ki\u180ell⟧',
      'x\u200bkill',
      'kill\u200bs',
    ],
  ],
  [
    'many of them',
    kill,
    [
      `⟦k${'\u200b'.repeat(60)}ill⟧`,
      `x${'\u200b'.repeat(60)}kill`,
      `⟦kill${'\u200b'.repeat(32)}⟧${'\u200b'.repeat(28)} `,
    ],
  ],
  ['soft hyphens', kill, ['⟦ki\u00adll⟧', '⟦k\u00adi\u00adl\u00adl\u00ad⟧.']],
  [
    'variation selectors and tags',
    kill,
    ['⟦k\ufe0fill⟧', '⟦ki\u{e0100}ll⟧', '⟦k\u{e0041}\u{e0042}ill⟧', '⟦kill\ufe0e⟧'],
  ],
  [
    'marks of direction',
    kill,
    [
      '⟦k\u200eill⟧',
      '⟦ki\u202ell\u202c⟧',
      '\u202e⟦kill\u202c⟧ ',
      '⟦k\u2066i\u2069ll⟧',
      '\u202ellik\u202c',
      '⟦ki\u061cll⟧',
    ],
  ],
  ['control characters', kill, ['⟦k\u0000ill⟧', '⟦ki\u0007ll⟧', '⟦k\u001b\u009bill⟧', '⟦ki\u007fll⟧']],
  ['fillers of Hangul', kill, ['⟦k\u3164ill⟧', '⟦ki\uffa0ll⟧', '⟦ki\u115fll⟧']],
  [
    'Cyrillic look-alikes',
    ['password', 'bomb', 'exchange'],
    ['⟦раsswоrd⟧', '⟦pаѕѕwоrԁ⟧', '⟦РАSSWОRD⟧', '⟦воmb⟧', '⟦ВОМВ⟧', '⟦ехсһаngе⟧', 'расsword'],
  ],
  ['Greek look-alikes', ['password', 'bitcoin'], ['⟦ραsswοrd⟧', '⟦ΡΑSSWΟRD⟧', '⟦βιτcοιη⟧', '⟦bιtcoιn⟧']],
  ['Armenian look-alikes', ['hung', 'option'], ['⟦հսոg⟧', '⟦օptiօn⟧']],
  [
    'Latin look-alikes',
    ['login', 'paypal', 'bold'],
    ['⟦łogin⟧', '⟦logın⟧', '⟦pɑypɑl⟧', '⟦ᴘᴀʏᴘᴀʟ⟧', '⟦bøld⟧', '⟦ƅold⟧'],
  ],
  ['look-alikes in the phrase', ['раураl'], ['⟦paypal⟧', '⟦PAYPAL⟧', '⟦paураl⟧']],
  ['look-alikes of a whole word', ['cop'], ['⟦сор⟧ is Cyrillic', '⟦СОР⟧']],
  ['no look-alikes in ASCII', ['login', 'kill'], ['l0gin', '1ogin', 'kiII', 'ki11', 'k!ll', '|ogin', 'rnotel']],
  [
    'blanks',
    bad,
    [
      '⟦bad  word⟧',
      '⟦bad\u00a0word⟧',
      '⟦bad\u2003\u2009word⟧',
      '⟦bad\tword⟧',
      '⟦bad\u3000word⟧',
      '⟦bad \u2800 word⟧',
      `⟦bad${' '.repeat(300)}word⟧`,
      'badword',
      'b a d w o r d',
    ],
  ],
  ['blanks that are none', bad, ['⟦bad \u200bword⟧', 'bad\u200bword', '⟦bad\u200b \u200bword⟧']],
  [
    'line ends',
    bad,
    [
      '⟦bad\nword⟧',
      '⟦bad\r\nword⟧',
      '⟦bad \n  word⟧',
      '⟦bad\u2028word⟧',
      '⟦bad\n\n\nword⟧',
      '⟦bad\u0085word⟧',
      'bad\n> word',
    ],
  ],
  ['blanks of the phrase', ['  bad \n word '], ['⟦bad word⟧', '⟦bad\tword⟧', 'a ⟦bad word⟧ b']],
  [
    'boundaries of words',
    ['ass', 'cock'],
    [
      'class',
      'assess',
      'cockpit',
      'peacock',
      '⟦ass⟧-⟦cock⟧',
      "⟦ass⟧'s",
      '⟦cock⟧.',
      'ass_1',
      '_cock_',
      'ass2',
      '2ass',
      'äass',
      '"⟦ass⟧"',
      'aßs',
      '⟦aß⟧',
    ],
  ],
  [
    'boundaries of disguised words',
    ['ass'],
    ['c\u200bl\u200bass', 'ass\u200bess', 'ass\u0301ess', 'ｃｌａｓｓ', '𝐜𝐥ass', 'clаss', '⟦ass\u0301⟧'],
  ],
  [
    'phrases that are not letters',
    ['c++', '#bad', '@all', '$$$', '1.5'],
    ['⟦c++⟧', 'x ⟦c++⟧17', 'abc++', 'a⟦#bad⟧', '#badly', '⟦@all⟧', 'a⟦$$$⟧b', '⟦1.5⟧', '11.5', '1.55', '⟦1.5⟧.2'],
  ],
  ['digits in full width and other scripts', ['1234'], ['⟦１２３４⟧', '⟦①②③④⟧', '⟦𝟏𝟐𝟑𝟒⟧', '12345', '⟦١٢٣٤⟧']],
  ['base64 is not decoded', bad, ['YmFkIHdvcmQ=', 'data:text/plain;base64,YmFkIHdvcmQ=']],
  ['escapes are decoded', kill, ['⟦k%69ll⟧', '⟦k&#105;ll⟧', '⟦\\u006bill⟧', 'a\\n⟦kill⟧\\n']],
  ['nor other codings', kill, ['xvyy', '6b696c6c', '-.- .. .-.. .-..']],
  ['what can be seen in between', kill, ['k😀ill', 'k.i.l.l', 'k-i-l-l', 'k*ill', 'k i l l', 'k_ill']],
  ['emoji beside', kill, ['😀⟦kill⟧😀', '⟦kill\u200d⟧😀', '👩‍🚀⟦kill⟧', '❤\ufe0f⟦kill⟧❤\ufe0f']],
  ['emoji as phrases', ['🔫', '👩‍🚀', '❤️'], ['a⟦🔫⟧b', '⟦👩‍🚀⟧', '⟦❤⟧', '⟦❤\ufe0f⟧', '👩 🚀']],
  ['Chinese', ['傻瓜', '笨蛋'], ['你这个⟦傻瓜⟧。', '⟦傻瓜⟧⟦笨蛋⟧', '⟦傻\u200b瓜⟧', '傻 瓜', '瓜傻', '⟦傻瓜⟧abc']],
  ['Latin among Chinese', ['vpn'], ['用⟦vpn⟧吗', '⟦ＶＰＮ⟧', '用avpn', '用⟦VPN⟧。']],
  ['ideographs for compatibility', ['\u96e2', '\u8c48'], ['⟦\uf9ea⟧', '⟦\uf900⟧']],
  [
    'Japanese',
    ['ばか', '死ね', 'バカ'],
    ['お前は⟦ばか⟧だ', '⟦死ね⟧よ', '⟦は\u3099か⟧', 'はか', 'ばが', 'ハカ', '⟦バカ⟧ですか'],
  ],
  [
    'Korean',
    ['바보', '가'],
    [
      '⟦바보⟧',
      '⟦바보⟧ 야',
      '바보야',
      '⟦\u1107\u1161\u1107\u1169⟧',
      '\uac01',
      '⟦\uac00⟧',
      '\u1100\u1161\u11a8',
      '⟦\u1100\u1161⟧',
    ],
  ],
  ['Thai', ['ควาย', 'ดี'], ['ไอ้⟦ควาย⟧เอ๊ย', '⟦ดี⟧มาก', 'ดา']],
  ['Hindi', ['बल', 'कुत्ता'], ['⟦बल⟧', 'बिल', 'बाल', '⟦कुत्ता⟧ है']],
  ['Arabic and Hebrew', ['كلب', 'שלום'], ['⟦كَلْب⟧', '⟦ك\u0640لب⟧', 'كلبه', '⟦שָׁלוֹם⟧', '⟦\ufedb\ufee0\ufe90⟧']],
  ['letters beyond U+FFFF', ['𐐨𐐩', '𠮷'], ['⟦𐐨𐐩⟧', '𐐀𐐁', 'x𐐨𐐩', '𐐨𐐩𐐨', '吃⟦𠮷⟧野家']],
  [
    'first, then longest',
    ['bad', 'bad word', 'word up', 'up'],
    ['⟦bad word⟧ ⟦up⟧', '⟦up⟧ ⟦bad word⟧', 'a ⟦word up⟧', '⟦bad⟧ words ⟦up⟧', 'badword ⟦up⟧'],
  ],
  ['the middle of a word is no beginning', ['bad ass', 'ass'], ['xbad ⟦ass⟧', '⟦bad ass⟧', 'bad assx']],
];

const withinWords: readonly Group[] = [
  ['within words', ['ass', 'ing'], ['cl⟦ass⟧⟦ing⟧', '⟦ass⟧ess', '_⟦ASS⟧_', 'p⟦ing⟧1', 'CL⟦АSS⟧']],
  ['within ligatures and letters that are two', ['fi', 's', 'kg'], ['o⟦ﬃ⟧ce', '⟦ﬁ⟧⟦s⟧h', 'Ma⟦ß⟧', '5⟦㎏⟧']],
  ['not within a letter', ['か', '가', 'e'], ['⟦か⟧が', '각⟦가⟧', '⟦é⟧⟦e\u0301⟧', '⟦e⟧']],
  ['overlaps', ['a', 'ab', 'bc', 'abcd'], ['⟦ab⟧c', '⟦abcd⟧', '⟦a⟧xc', 'c⟦ab⟧e', '⟦a⟧⟦abcd⟧']],
  ['repeats', ['aa', 'aaa'], ['⟦aaa⟧⟦aaa⟧⟦aa⟧', '⟦aaa⟧a', '⟦aa⟧']],
  ['spaces of the text', ['n w'], ['bi⟦n w⟧ord', 'bi⟦n \n w⟧ord', 'binword']],
];

export const phrasesCases: readonly PhrasesCase[] = [
  ...wholeWords.flatMap((group) => casesOf(group, false)),
  ...withinWords.flatMap((group) => casesOf(group, true)),
];

function casesOf([what, phrases, texts]: Group, within: boolean): readonly PhrasesCase[] {
  return texts.map((marked) => {
    const spans: (readonly [number, number])[] = [];
    let text = '';
    for (const [index, part] of marked.split(/[⟦⟧]/).entries()) {
      if (index % 2 === 1) spans.push([text.length, text.length + part.length]);
      text += part;
    }
    return { what, phrases, withinWords: within, text, spans };
  });
}
