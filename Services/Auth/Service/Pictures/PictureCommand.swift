import Pictures

/// The argument by which this program is told to render a picture, and nothing else.
public let pictureCommand = RenderedPicture.argument

/// Renders the picture on standard input, under limits, without settings or connections.
public func servePicture() -> Never { RenderedPicture.serve() }
