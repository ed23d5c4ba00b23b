/** A parsed response of which a test reads a few fields. Their types are what the test asserts. */
export type ResponseBody = ReturnType<typeof JSON.parse>
