// Personal data in disguise. Invisible characters are written as backslash-u escapes.
export const disguised = `
‹E jane\u200b.doe@example.com›
‹E jane@exam\u00adple.com›
‹E ｊａｎｅ＠ｅｘａｍｐｌｅ．ｃｏｍ›
‹E ja\u0301ne@example.com›
‹E jane\u2060@\ufeffexample.com›
‹E 𝐣𝐚𝐧𝐞@example.com›
Write to ‹E JANE@Example.COM›
‹C 4111\u200b1111\u200b1111\u200b1111›
‹C ４１１１ １１１１ １１１１ １１１１›
‹C 4111\u00a01111\u00a01111\u00a01111›
‹C 4111\u20111111\u20111111\u20111111›
‹C 4111–1111–1111–1111›
‹C 4111.1111.1111.1111›
‹C 4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1›
‹C 4-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1›
‹C 4\u0301111111111111111›
‹C 𝟒𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏›
‹B DE89\u200b370400440532013000›
‹B ＤＥ８９ ３７０４ ００４４ ０５３２ ０１３０ ００›
‹B DE89\u202f3704\u202f0044\u202f0532\u202f0130\u202f00›
‹B DE89.3704.0044.0532.0130.00›
‹B DE89-3704-0044-0532-0130-00›
‹N 123\u201145\u20116789›
‹N 123–45–6789›
‹N 1２3-4５-6７89›
SSN ‹N 123.45.6789›
‹N 12\u200b3-45-67\u200b89›
‹N RSSMRA\u200b85T10A562S›
‹I 192\u200b.0.2.1›
‹I １９２．０．２．１›
‹I 2001:db8\u200b::1›
‹T +1\u00a0202\u00a0555\u00a00123›
‹T +1 202\u2011555\u20110123›
‹T ＋１ ２０２ ５５５ ０１２３›
‹T (202)\u200b 555-0123›
‹T +1.202.555.0123›
‹T 202\u2013555\u20130123›
DE>‹T 030\u200b23125\u200b456›
`;

/** Values that are known to be missed, or matched only in part. They count against recall. */
export const missed = `
‹E jane [at] example [dot] com›
‹E jane (at) example.com›
‹E "jane doe"@example.com›
‹E jane@[192.0.2.1]›
‹E jane@example . com›
‹E amFuZUBleGFtcGxlLmNvbQ==›
call ‹T two zero two 555 0123›
‹T 2025550123›
‹T 555-0123›, ask for Jane
user 42 ‹T 202 555 0123›
‹C four one one one 1111 1111 1111›
‹C 4111 11 111111 111111›
‹C 4111_1111_1111_1111›
‹C ٤١١١ ١١١١ ١١١١ ١١١١›
‹N 123456789›
ssn\n123456789,‹N 536904399›
‹N 81021179519›
‹N RSS MRA 85T10 A562S›
‹I 192 . 0 . 2 . 1›
‹I 192[.]0[.]2[.]1›
‹B DE 89 3704 0044 0532 0130 00›
`;
