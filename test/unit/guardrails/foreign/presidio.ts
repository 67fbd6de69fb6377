// Cases of the tests of Presidio's recognizers (github.com/microsoft/presidio, presidio-analyzer/tests, July 2026;
// MIT): the form of each case and how many matches of its type are expected. Values are made while a test runs, except
// published examples of a registry.
import type { Random } from '../../../support/access/random.ts';
import { written } from './written.ts';

export interface Case {
  /** The label of the gateway. */
  readonly label: string;
  /** The type in the report. One recognizer may have two lines when its forms have different weight. */
  readonly type: string;
  readonly country: string;
  readonly text: string;
  readonly count: number;
}

type Row = readonly [text: string, count: number];

/** Replaces the forms by values; `{card:…}` ends with Luhn's check digit. */
function made(text: string, random: Random): string {
  return text.replace(/\{card:(\d+)x(\d+)(?:,(.))?\}/g, (_, prefix: string, length: string, separator = '') => {
    const body = written(`${prefix}{d${Number(length) - prefix.length - 1}}`, random);
    const digits = `${body}${luhn(body)}`;
    return separator === '' ? digits : (digits.match(/.{1,4}/g) ?? []).join(separator);
  });
}

function luhn(body: string): number {
  const sum = [...body].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return (10 - (sum % 10)) % 10;
}

/** Examples of the IBAN registry (swift.com, "IBAN Registry"), one for each country. */
const registered = `
AD1200012030200359100100 AE070331234567890123456 AL47212110090000000235698741 AT611904300234573201
AZ21NABZ00000000137010001944 BA391290079401028494 BE68539007547034 BG80BNBG96611020345678
BH67BMAG00001299123456 BR9700360305000010009795493P1 BY13NBRB3600900000002Z00AB00
CH9300762011623852957 CR05015202001026284066 CY17002001280000001200527600 CZ6508000000192000145399
DE89370400440532013000 DK5000400440116243 DO28BAGR00000001212453611324 EE382200221020145685
EG380019000500000000263180002 ES9121000418450200051332 FI2112345600000785 FO6264600001631634
FR1420041010050500013M02606 GB29NWBK60161331926819 GE29NB0000000101904917 GI75NWBK000000007099453
GL8964710001000206 GR1601101250000000012300695 GT82TRAJ01020000001210029690 HR1210010051863000160
HU42117730161111101800000000 IE29AIBK93115212345678 IL620108000000099999999 IQ98NBIQ850123456789012
IS140159260076545510730339 IT60X0542811101000000123456 JO94CBJO0010000000000131000302
KW81CBKU0000000000001234560101 KZ86125KZT5004100100 LB62099900000001001901229114
LC55HEMM000100010012001200023015 LI21088100002324013AA LT121000011101001000 LU280019400644750000
LV80BANK0000435195001 LY83002048000020100120361 MC5811222000010123456789030
MD24AG000225100013104168 ME25505000012345678951 MK07250120000058984 MR1300020001010000123456753
MT84MALT011000012345MTLCAST001S MU17BOMM0101101030300200000MUR NL91ABNA0417164300 NO9386011117947
PK36SCBL0000001123456702 PL61109010140000071219812874 PS92PALS000000000400123456702
PT50000201231234567890154 QA58DOHB00001234567890ABCDEFG RO49AAAA1B31007593840000
RS35260005601001611379 SA0380000000608010167519 SC18SSCB11010000000000001497USD
SE4550000000058398257466 SI56263300012039086 SK3112000000198742637541 SM86U0322509800000000270100
TL380080012345678910157 TN5910006035183598478831 TR330006100519786457841326
UA213223130000026007233566001 VA59001123000012345678 VG96VPVG0000012345678901 XK051212012345678906
`;

function ibans(): readonly Row[] {
  return registered
    .trim()
    .split(/\s+/)
    .flatMap((iban): readonly Row[] => {
      const groups = (iban.match(/.{1,4}/g) ?? []).join(' ');
      const wrong = iban.slice(0, -1) + (iban.endsWith('8') ? '3' : iban.endsWith('Z') ? 'A' : next(iban.at(-1)));
      return [
        [iban, 1],
        [groups, 1],
        [wrong, 0],
        [`this is an iban ${groups} in a sentence`, 1],
        [`Dash as iban separator: ${groups.replaceAll(' ', '-')}`, 1],
        [`Slash as iban separator: ${groups.replaceAll(' ', '/')}`, 0],
      ];
    });
}

function next(character = ''): string {
  return String.fromCharCode(character.charCodeAt(0) + (character === '9' ? -1 : 1));
}

const cards: readonly Row[] = [
  ['{card:4x16}', 1],
  ['{card:4x16} {card:4x16,-} {card:4x16, }', 3],
  ['{card:5555x16}', 1],
  ['{card:37x15}', 1],
  ['{card:1220x15}', 1],
  ['my credit card: {card:1220x15}', 1],
  ['{card:305x14}', 1],
  ['{card:6011x16}', 1],
  ['{card:3528x16}', 1],
  ['{card:6759x16}', 1],
  ['{card:5019x16}', 1],
  ['{card:49173x16}', 1],
  ['my credit card number is {card:4x16,-}', 1],
  ['1748503543012', 0],
  ['4012-8888-8888-1882', 0],
  ['my credit card number is 4012-8888-8888-1882', 0],
  ['36168002586008', 0],
  ['my credit card number is 36168002586008', 0],
];

const emails: readonly Row[] = [
  ['{l5}@{l8}.site', 1],
  ['my email address is {l5}.{l5}@{l8}.com', 1],
  ['try one of these emails: {l5}@{l8}.site or {l9}@{l8}.site', 2],
  ['user@xn--80ak6aa92e.com', 1],
  ['a@xn--d1acufc.xn--p1ai', 1],
  ['my email is info@presidio.', 0],
  ['this is not an email: hello-world here', 0],
];

const ssns: readonly Row[] = [
  ['078-05-{d3}3', 1],
  ['078.05.{d3}3', 1],
  ['078 05 {d3}3', 1],
  ['abc 078 05 {d3}3 abc', 1],
  ['SSN: 07805{d3}3', 1],
  ['0780511201', 0],
  ['000000000', 0],
  ['666000000', 0],
  ['078-05-0000', 0],
  ['078 00 1123', 0],
  ['693-09.4444', 0],
];

const bareSsns: readonly Row[] = [
  ['07805{d3}3', 1],
  ['078-05{d3}3 07805-{d3}3', 2],
];

const ids: Readonly<Record<string, readonly Row[]>> = {
  'UK NINO': [
    ['AA {d2} {d2} {d2} B', 1],
    ['hh {d2} {d2} {d2} d', 1],
    ['tw{d6}a', 1],
    ['nino: PR {d6}C', 1],
    ['Here is my National Insurance Number YZ {d2} {d2} {d2} B', 1],
    ['AA 12 34 56 H', 0],
    ['AB 12 34 56 1', 0],
    ['FQ 00 00 00 C', 0],
    ['BG123612A', 0],
    ['nino: nt 99 88 77 a', 0],
  ],
  'ES NIF': [
    ['55555555K', 1],
    ['55555555-K', 1],
    ['01111111G', 1],
    ['12345678z', 1],
    ['401-023-2138', 0],
    ['12345678a', 0],
  ],
  'ES NIE': [
    ['Z8078221M', 1],
    ['X9613851N', 1],
    ['Y8063915-Z', 1],
    ['Mi NIE es X9613851N', 1],
    ['z8078221m', 1],
    ['Y8063915Q', 0],
    ['W8063915Q', 0],
    ['x9613851q', 0],
  ],
  'PL PESEL': [
    ['44051401458', 1],
    ['My pesel is 44051401458.', 1],
    ['PESEL: 02070803628', 1],
    ['44051401459', 0],
    ['11-11-11-11114', 0],
  ],
  'SE personnummer': [
    ['189004119807', 1],
    ['My personal identity code is: 189110089811. Thank you.', 1],
    ['871220-2384', 1],
    ['19910924-2397 är mitt pnr.', 1],
    ["Here's my personnummer 200109022392.", 1],
    ['20110925-2385', 1],
    ['My swedish id code is 199003052397.', 1],
    ['19000309-3393', 0],
    ['189x09179809', 0],
  ],
  'DE tax id': [
    ['Meine Steuer-ID: 12345678903.', 1],
    ['IdNr. 98765432106 liegt vor.', 1],
    ['12345678901', 0],
    ['11111111111', 0],
  ],
};

const addresses: readonly Row[] = [
  ['microsoft.com 192.168.0.{d1}', 1],
  ['my ip: 684D:1111:222:3333:4444:5555:6:{d2}', 1],
  ['2345:0425:2CA1:0000:0000:0567:5673:{h3}5', 1],
  ['2345:0425:2CA1::0567:5673:{h3}5', 1],
  ['2400:c401::5054:ff:fe1b:{h3}1', 1],
  ['fe80::1', 1],
  ['2001:db8::8a2e:370:{d4}', 1],
  ['2001:db8::1', 1],
  ['A099::09C0:876A:{d3}B', 1],
  ['Connect to [2001:db8::1]:8080', 1],
  ['Gateway: fe80::1 on interface', 1],
  ['Visit http://[2001:db8::1]/path', 1],
  ['::ffff:192.0.2.{d2}', 1],
  ['Mapped: ::ffff:192.168.1.{d2}', 1],
  ['64:ff9b::192.0.2.1', 1],
  ['2001:db8:85a3::8a2e:192.168.0.1', 1],
  ['0:0:0:0:0:FFFF:129.144.52.38', 1],
  ['Primary: 10.0.0.1, Secondary: 172.16.0.1', 2],
  ['IPv4: 192.168.1.1, IPv6: 2001:db8::1', 2],
  ['Private 10.0.0.0', 1],
  ['Link-local 169.254.1.1', 1],
  ['192.168.1.0/24', 1],
  ['2001:db8::/32', 1],
  ['IP: 192.168.1.1.', 1],
  ['(192.168.1.1)', 1],
  ['192.168.2.1@eth0', 1],
  ['SSH to user@2001:db8::1', 1],
  ['my ip: 192.168.0', 0],
  ['684D:1111:222:3333:4444:5555:77', 0],
  ['MAC address aa:bb:cc:dd:ee:ff', 0],
  ['Time 12:34:56', 0],
  ['Ratio 1:2:3:4', 0],
  ['Version 1.2.3', 0],
  ['Port 80:443', 0],
  ['abc:def:ghi', 0],
  ['std::cout', 0],
  ['MyClass::toString', 0],
  ['text192.168.1.1', 0],
  ['fe80::1text', 0],
  ['256.256.256.256', 0],
  ['12345:db8::1', 0],
  ['2001::db8::1', 0],
];

/** Addresses that identify nobody; the documentation says that they are not found. */
const reservedAddresses: readonly Row[] = [
  ['localhost 127.0.0.1', 1],
  ['Broadcast 255.255.255.255', 1],
  ['Default 0.0.0.0', 1],
  ['Unspecified ::', 1],
  ['Loopback ::1', 1],
  ['Multicast ff02::1', 1],
];

const phones: readonly (readonly [country: string, ...Row])[] = [
  ['US', 'My US number is (415) 555-01{d2}, and my international one is +1 415 555 01{d2}', 2],
  ['US', '_: (415)555-01{d2}', 1],
  ['US', 'United States: (415)555-01{d2}', 1],
  ['US', 'US: 415-555-01{d2}', 1],
  ['US', '_: +55 11 98{d3} {d4}', 1],
  ['US', 'one is +44 (20) 7123 4{d3}', 1],
  ['US', 'one is +91 98765{d5}', 1],
  ['US', 'one is +49 30 23{d5}', 1],
  ['US', 'one is +39 06 678 4{d3}', 1],
  ['US', 'one is +33 1 42 68 5{d1} {d2}', 1],
  ['US', 'My Israeli number is 09-7625400', 1],
  ['US', 'My Japanese number is 090-1234-5678', 1],
  ['US', 'My CN number is 13812345678', 1],
  ['PH', '+63 917 {d3} {d4}', 1],
  ['PH', '+63917{d7}', 1],
  ['PH', '+63 (917) {d3} {d4}', 1],
  ['PH', '0917{d7}', 1],
  ['PH', '0917-{d3}-{d4}', 1],
  ['PH', '0 (917) {d3} {d4}', 1],
  ['PH', '0998{d7}', 1],
  ['PH', '091712345678', 0],
  ['TR', '+90532{d7}', 1],
  ['TR', '+90 (532) {d3} {d2} {d2}', 1],
  ['TR', '0532{d7}', 1],
  ['TR', '0 532 {d3} {d2} {d2}', 1],
  ['TR', '0-532-{d3}-{d2}-{d2}', 1],
  ['TR', '0216 3{d2} {d2} {d2}', 1],
  ['TR', '532 {d3} {d2} {d2}', 1],
  ['TR', '1234567890', 0],
];

/** The number of times that each row is used, with other values each time. */
const times = 5;

export function presidioCases(random: Random): readonly Case[] {
  const of = (label: string, type: string, rows: readonly Row[], country = 'US') =>
    rows.flatMap(([text, count]) =>
      Array.from({ length: text.includes('{') ? times : 1 }, () => ({
        ...{ label, type, country, count },
        text: written(made(text, random), random),
      })),
    );
  return [
    ...of('IBAN', 'IBAN', ibans()),
    ...of('PAYMENT_CARD', 'payment card', cards),
    ...of('EMAIL', 'e-mail', emails),
    ...of('NATIONAL_ID', 'US SSN', ssns),
    ...of('NATIONAL_ID', 'US SSN, bare', bareSsns),
    ...Object.entries(ids).flatMap(([type, rows]) => of('NATIONAL_ID', type, rows)),
    ...of('IP_ADDRESS', 'IP address', addresses),
    ...of('IP_ADDRESS', 'reserved IP address', reservedAddresses),
    ...phones.flatMap(([country, ...row]) => of('PHONE', `phone ${country}`, [row], country)),
  ];
}
