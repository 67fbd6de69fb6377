// Sentences, signatures, records and code of the kind that is sent to models. Personal data is in brackets with a
// letter for its type: ‹E e-mail, ‹T phone, ‹C payment card, ‹B bank account, ‹N national id, ‹I IP address.
export const sentences = String.raw`
Hi team, please forward this to ‹E jane.doe@example.com› and ‹E bob@example.org›, thanks!
Reach me at ‹E j.smith@example.com›.
Email: ‹E sales@example.com›; phone: ‹T (202) 555-0123›.
Mailto link: <a href="mailto:‹E press@example.com›">write</a>
From: "Doe, Jane" <‹E jane@example.com›>
To: <‹E a.b@example.com›>,<‹E c.d@example.com›>
(‹E team@example.com›)
Is ‹E x@example.com› or ‹E y@example.com› right?
Contact:‹E jane@example.com›,tel:‹T +12025550123›
My card ‹C 4111 1111 1111 1111› expires 12/27 and the CVV is 123.
Visa ‹C 4012888888881881›, Amex ‹C 378282246310005›.
Charge ‹C 5555-5555-5555-4444› please, not ‹C 4242424242424242›!
card number ‹C 4222222222222›
Pay to ‹B DE89 3704 0044 0532 0130 00› by Friday.
My IBAN is ‹B GB29 NWBK 6016 1331 9268 19› and the BIC is NWBKGB2L.
IBAN:‹B DE89370400440532013000›,BIC:COBADEFFXXX
Her SSN is ‹N 123-45-6789›, born 1980-01-02.
The applicant (SSN ‹N 536-90-4399›) called from ‹T 202-555-0114›.
ssn of the customer: ‹N 536904399›
NI number ‹N AB 12 34 56 C› and postcode SW1A 1AA.
The server at ‹I 192.0.2.1› did not respond; try ‹I 2001:db8::1›.
Blocked ‹I 203.0.113.7›:443 after 5 attempts.
Ping ‹I 198.51.100.23›. It works.
Call me on ‹T 202-555-0123› after 5pm.
Call ‹T +1 202 555 0123› or ‹T +1-202-555-0124›.
My number is ‹T 2025550123›? No word stands before it, but see: phone ‹T 2025550123›.
Fax ‹T (202) 555-0175› / Tel ‹T (202) 555-0176›
WhatsApp: ‹T +44 7911 123456›
DE>Bitte rufen Sie mich unter ‹T 030 23125-456› zurück.
DE>Handy: ‹T 0171 3920012›, Büro ‹T +49 30 23125 123›
DE>Meine Steuer-ID lautet ‹N 40 012 808 709›.
DE>Die IBAN ‹B DE89 3704 0044 0532 0130 00› gehört Max Mustermann, ‹E max@beispiel.de›.
DE>Überweisen Sie 1.250,00 EUR auf ‹B AT61 1904 3002 3457 3201›!
DE>Tel.: ‹T 089 99998-123›, Fax: ‹T 089 99998-124›
FR>Appelez-moi au ‹T 01 99 00 12 34› ou écrivez à ‹E jean@exemple.fr›.
FR>Mon numéro de sécurité sociale : ‹N 1 86 04 75 104 979 55›.
FR>Mon portable est le ‹T 06 12 34 56 78›, RIB ‹B FR14 2004 1010 0505 0001 3M02 606›
FR>Joignable au ‹T 0612345678› toute la journée.
ES>Mi DNI es ‹N 12345678Z› y mi móvil ‹T 612 345 678›.
ES>Llame al ‹T 912 345 678›, NIE ‹N X1234567L›.
ES>Transferencia a ‹B ES91 2100 0418 4502 0005 1332›, correo ‹E ana@ejemplo.es›.
IT>Il mio codice fiscale è ‹N RSSMRA85T10A562S›.
IT>Chiamami al ‹T 347 1234567› o scrivi a ‹E m.rossi@esempio.it›.
IT>Bonifico su ‹B IT60 X054 2811 1010 0000 0123 456›, c.f. ‹N BNCLRA90A41F205I›.
NL>Mijn BSN is ‹N 109999058› en mijn telefoon ‹T 06 12345678›.
NL>Rekening ‹B NL91 ABNA 0417 1643 00› t.n.v. P. de Vries
SE>Mitt personnummer är ‹N 870817-5008›, ring ‹T 070-174 06 05›.
SE>Kontakta ‹E anna@exempel.se› eller ‹T 08-465 004 05›.
PL>Mój PESEL to ‹N 81021179519›, telefon ‹T 601-234-567›.
PL>Konto: ‹B PL61 1090 1014 0000 0712 1981 2874›
BR>Meu CPF é ‹N 300.126.424-10› e meu celular ‹T (11) 91234-5678›.
BR>Escreva para ‹E joao@exemplo.com.br›, CPF ‹N 30013196740›.
GB>Ring ‹T 020 7946 0018›, NI no ‹N JG103759A›.
GB>Our office: ‹T 0161 496 0987›. Email ‹E office@example.co.uk›.
IN>Call ‹T 98765 43210› or mail ‹E ravi@example.in›.
AU>Phone ‹T (02) 7010 1234› or ‹T 0491 571 266›.
JP>電話番号は‹T 03-1234-5678›です。メールは‹E tanaka@example.co.jp›まで。
JP>携帯：‹T 090-1234-5678›
CN>请拨打‹T 138 0013 8000›或发邮件到‹E li@example.cn›。
CN>我的手机是‹T 13800138000›。
RU>Звоните ‹T 8 (912) 345-67-89› или пишите ‹E ivan@example.ru›.
RU>Телефон: ‹T +7 912 345-67-89›
KR>전화번호는 ‹T 010-1234-5678›입니다. ‹E kim@example.kr›로 보내 주세요.
TR>Telefonum ‹T +90 532 123 45 67›, IBAN ‹B TR33 0006 1005 1978 6457 8413 26›.
CH>Rufen Sie ‹T 044 668 18 00› an; Konto ‹B CH93 0076 2011 6238 5295 7›.
DK>Ring på ‹T 32 12 34 56› eller skriv til ‹E lars@eksempel.dk›.
Kind regards\nJane Doe | Example Ltd\nT: ‹T +44 20 7946 0123› | M: ‹T +44 7911 123456›\n‹E jane.doe@example.co.uk›
--\nJohn Smith\nMobile ‹T (202) 555-0147›\n‹E john@example.com›\nwww.example.com
DE>Mit freundlichen Grüßen\nMax Mustermann\nTel. ‹T 030/23125456›\nFax ‹T 030/23125457›\nE-Mail: ‹E max.mustermann@beispiel.de›
FR>Cordialement,\nJean Dupont\nTél. : ‹T 01 99 00 12 34›\nPort. : ‹T 06 12 34 56 78›
{"user":{"email":"‹E jane@example.com›","phone":"‹T +12025550123›","ip":"‹I 192.0.2.44›"}}
{"iban":"‹B DE89370400440532013000›","amount":125.50,"currency":"EUR"}
{"card":{"number":"‹C 4242424242424242›","exp_month":12,"exp_year":2027,"cvc":"123"}}
{"ssn":"‹N 536904399›","name":"Jane Doe"}
{"mobile": "‹T 2025550123›", "id": 17}
{"emails":["‹E a@example.com›","‹E b@example.com›"],"count":2}
{\"to\":\"‹E jane@example.com›\",\"cc\":null}
name,email,phone\nJane Doe,‹E jane@example.com›,‹T 202-555-0123›\nJohn Roe,‹E john@example.com›,‹T 202-555-0124›
id;name;iban\n1;Doe;‹B DE89370400440532013000›\n2;Roe;‹B NL91ABNA0417164300›
"Doe","Jane","‹N 123-45-6789›","‹C 4111111111111111›"
17;‹E jane@example.com›;‹I 192.0.2.8›
user_id	email	last_ip\n42	‹E x@example.com›	‹I 198.51.100.9›
const admin = '‹E root@example.com›';
smtp.send({ to: "‹E jane@example.com›", from: "‹E noreply@example.com›" });
# contact: ‹E maintainer@example.org›
git config user.email ‹E dev@example.com›
Author: Jane Doe <‹E jane@example.com›>
ssh admin@‹I 192.0.2.10› -p 2222
ping6 ‹I 2001:db8::dead:beef›
http://‹I 192.0.2.15›:8080/index.html
http://[‹I 2001:db8::7›]:8080/
nameserver ‹I 8.8.4.4›\nnameserver ‹I 2001:4860:4860::8888›
allow ‹I 192.0.2.0›/24;
‹I 203.0.113.5› - - [22/Nov/2026:10:15:03 +0000] "GET / HTTP/1.1" 200 2326 "-" "Mozilla/5.0 (X11) Chrome/120.0.0.0 Safari/537.36"
2026-11-22T10:15:03.123Z WARN login failed user=‹E jane@example.com› ip=‹I 203.0.113.9› attempt=3
Nov 22 10:15:03 host sshd[1234]: Failed password for root from ‹I 198.51.100.77› port 53122 ssh2
level=info msg="sms sent" to=‹T +4915212345678› ms=12
[2026-11-22 10:15:03] payment.INFO: charged ‹C 4242424242424242› {"amount":999}
remote_addr=‹I 2001:db8:1::5› status=200 bytes=1234567
X-Forwarded-For: ‹I 203.0.113.195›, ‹I 198.51.100.178›
INSERT INTO users VALUES (1, '‹E jane@example.com›', '‹T +1 202 555 0123›');
<tel>‹T +1-202-555-0123›</tel><iban>‹B FR1420041010050500013M02606›</iban>
<a href="tel:‹T +12025550199›">Call</a>
phone: "‹T +49 30 23125 123›" # office
BEGIN:VCARD\nEMAIL:‹E jane@example.com›\nTEL;TYPE=CELL:‹T +1-202-555-0123›\nEND:VCARD
| Jane | ‹E jane@example.com› | ‹T (202) 555-0123› |
- ‹E one@example.com›\n- ‹E two@example.com›
**‹E jane@example.com›**
_‹E jane@example.com›_
[‹E jane@example.com›](mailto:‹E jane@example.com›)
`;
