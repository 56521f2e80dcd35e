// Shows people what a model sees of an app: a page, and recordings.

export { createLiveView } from "./create-live-view.js"
export { LiveViewError, type LiveViewErrorCode } from "./live-view-error.js"
export type { LiveViewOptions, Show, WatchOptions } from "./live-view-options.js"
export { parseRecording, type Recording } from "./recording/parse-recording.js"
export { type Recorder, type RecordOptions, record } from "./recording/record.js"

// ── The contents of a recording. ──

export type {
  AwayRow,
  BuiltInNames,
  CallFrame,
  ChangeFrame,
  ClientRow,
  ClientsFrame,
  ExposureOf,
  Frame,
  InfoRow,
  ItemToolRow,
  LegRow,
  LinkRow,
  NoteFrame,
  NoticeFrame,
  Shows,
  SkippedFrame,
  Stamped,
  StartFrame,
  StateRow,
  ToolRow,
  ValueRow,
} from "./frames/frame.js"
export {
  type Caller,
  createPicture,
  type Last,
  type Picture,
  type PictureKeeper,
  type Shown,
} from "./frames/picture.js"
export type { CountTokens } from "./tokens.js"
