// Prints the Strata entities of a Core Data model: properties, relationships, rules, indexes.
//
//   swift run CoreDataModel Library.xcdatamodeld > Library.swift
//
// A feature of the model that Strata lacks becomes a comment at its place, with the reason and with
// advice.

import Foundation

guard CommandLine.arguments.count == 2 else {
  print("usage: swift run CoreDataModel MODEL.xcdatamodeld")
  exit(2)
}
let url = URL(fileURLWithPath: CommandLine.arguments[1])
do {
  let model = try DataModel(at: url)
  print(SwiftSource.text(of: model, named: url.lastPathComponent), terminator: "")
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
