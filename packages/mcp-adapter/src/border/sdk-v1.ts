export { bindSdkV1, type SdkV1Binding, type SdkV1Options } from "./sdk-v1/bind-sdk-v1.js"
export type { IdentifyCaller } from "./sdk-v1/create-attachment.js"
