import fc from "fast-check"

/** Generates any key an author may choose: ordinary, tricky for names and URIs, or arbitrary UTF-16 with lone surrogates. */
export function anyKey(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.string({ unit: fc.constantFrom("a", "b", "_", "-", "1", ".", "~", "%", "/"), maxLength: 6 }),
    fc.constantFrom("a", "b", "a_b", "a__b", "a-b", "a.b"),
    fc.constantFrom("", ".", "..", "__proto__", "constructor", "日本語", "remove_document", "a_1abcdefgh", "get_state"),
    fc.string({ unit: "binary", maxLength: 8 }),
    fc.array(fc.integer({ min: 0xd7f0, max: 0xe010 }), { maxLength: 4 }).map((units) => String.fromCharCode(...units)),
    fc.string({ unit: fc.constantFrom("a", "b", "c", "_"), minLength: 20, maxLength: 200 }),
  )
}

/** Generates paths of up to four such keys. */
export function anyPath(): fc.Arbitrary<string[]> {
  return fc.array(anyKey(), { maxLength: 4 })
}
